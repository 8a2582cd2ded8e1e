import { describe, expect, it } from 'vitest';
import { DRIVERS } from '../documents/test-fixture.ts';
import type { Partition } from './partitions.ts';
import { IndexElsewhere } from './readiness.ts';
import { languages, type TestKind, type TestView, Views } from './test-fixture.ts';

const unending = new AbortController().signal;
const part = (number: number, of: number): Partition => ({ collection: 'c', number, of });

describe.each(DRIVERS)('a collection that nodes share and divide anew (%s)', (driver) => {
  const views = new Views(driver);
  const { append } = views;
  let count: number;

  /** A node that has both partitions of a collection with three documents. */
  const start = async (): Promise<{ view: TestView; kind: TestKind; names: () => string[] }> => {
    count = 2;
    for (const [i, lang] of ['de', 'en', 'fr'].entries()) {
      await views.skipTo(i * 1024 + 1);
      await views.add(lang, lang);
    }
    const { view, kind } = await views.started(undefined, { partitions: () => count, mostAtRest: 10 });
    view.leaveTo({ have: () => false, documentsOf: () => 3 });
    await view.intoMemory(['c'], unending);
    return { view, kind, names: () => view.inMemory().map(({ name, documents }) => `${name}: ${documents}`).sort() };
  };
  const divide = async (view: TestView, into: number): Promise<void> => {
    count = into;
    await append({ kind: 'config.put', collection: 'c' });
    await view.caughtUp();
    await view.settled();
  };
  const ask = (view: TestView, number: number, of: number) => view.answer(part(number, of), 'documents', []);

  it('builds only the new partitions that it is told to hold, and is searched as before', async () => {
    const { view, kind, names } = await start();
    await divide(view, 3);
    expect([view.divisionOf('c'), names()]).toEqual([{ serving: 2, next: 3 }, ['c|1/2: 2', 'c|2/2: 1']]);
    expect([view.stateOf(part(0, 2)), view.stateOf(part(0, 3)), view.stateOf(part(0, 4))]).toEqual(['memory', 'resting',
      'missing']);
    await view.partIntoMemory(part(1, 3), unending);
    await view.settled();
    expect([kind.puts.at(-1), names()]).toEqual(['en', ['c|1/2: 2', 'c|2/2: 1', 'c|2/3: 1']]);
    await views.skipTo(4 * 1024);
    await views.add('it', 'it');
    await view.caughtUp();
    expect([languages(view), ask(view, 1, 3), ask(view, 0, 2)]).toEqual([['de', 'en', 'fr', 'it'], 2, 3]);
  });

  it('reads the new ones when they take over, and answers for the former ones until these are left', async () => {
    const { view, names } = await start();
    await divide(view, 3);
    for (const number of [0, 1, 2]) await view.partIntoMemory(part(number, 3), unending);
    view.takeOver('c', 3);
    expect([view.divisionOf('c'), languages(view)]).toEqual([{ serving: 3, former: 2 }, ['de', 'en', 'fr']]);
    await views.remove('de', 'de');
    await view.caughtUp();
    expect([languages(view), ask(view, 0, 2), names().length]).toEqual([['en', 'fr'], 1, 5]);
    view.leaveFormer('c');
    await view.settled();
    expect([view.divisionOf('c'), names()]).toEqual([{ serving: 3 }, ['c|1/3: 0', 'c|2/3: 1', 'c|3/3: 1']]);
    expect(() => ask(view, 0, 2)).toThrow(IndexElsewhere);
    view.leaveFormer('c');
    expect(languages(view)).toEqual(['en', 'fr']);
  });

  it('takes over a division that only other nodes have, and goes on with the one it wants', async () => {
    const { view, names } = await start();
    view.takeOver('c', 1);
    expect([view.divisionOf('c'), view.stateOf(part(0, 1))]).toEqual([{ serving: 1, next: 2 }, 'resting']);
    await view.intoMemory(['c'], unending);
    expect([languages(view), names()]).toEqual([['de', 'en', 'fr'], ['c: 3', 'c|1/2: 2', 'c|2/2: 1']]);
    view.takeOver('c', 2);
    view.leaveFormer('c');
    expect([languages(view), names()]).toEqual([['de', 'en', 'fr'], ['c|1/2: 2', 'c|2/2: 1']]);
  });

  it('can be divided back into what it was, without building that again', async () => {
    const { view, kind, names } = await start();
    await divide(view, 3);
    for (const number of [0, 1, 2]) await view.partIntoMemory(part(number, 3), unending);
    view.takeOver('c', 3);
    const built = kind.puts.length;
    await divide(view, 2);
    expect(view.divisionOf('c')).toEqual({ serving: 3, next: 2 });
    view.takeOver('c', 2);
    view.leaveFormer('c');
    expect([languages(view), names(), kind.puts.length]).toEqual([['de', 'en', 'fr'], ['c|1/2: 2', 'c|2/2: 1'], built]);
  });

  it('is divided by the documents that all nodes count, and at a start by those of the tables', async () => {
    await views.add('de', 'a');
    await views.add('en', 'b');
    let documents: number | undefined;
    const { view } = views.open(undefined, {
      partitions: (_collection, present, count) => count() ?? present,
      mostAtRest: 10,
    });
    view.leaveTo({ have: () => false, documentsOf: () => documents });
    await view.start();
    expect(view.divisionOf('c')).toEqual({ serving: 2 });
    documents = 4;
    await view.intoMemory(['c'], unending);
    expect([languages(view), view.divisionOf('c')]).toEqual([['de', 'en'], { serving: 2, next: 4 }]);
  });

  it('stays as it is if a new partition cannot take a document', async () => {
    const { view, kind, names } = await start();
    kind.poison = 'en';
    await divide(view, 3);
    await view.partIntoMemory(part(0, 3), unending);
    await view.partIntoMemory(part(1, 3), unending);
    await view.settled();
    expect([view.divisionOf('c'), names()]).toEqual([{ serving: 2 }, ['c|1/2: 2', 'c|2/2: 1']]);
    expect(languages(view)).toEqual(['de', 'en', 'fr']);
  });
});
