import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DRIVERS } from '../documents/test-fixture.ts';
import { nameOfPartition, partitionOf, partitionsOf } from './partitions.ts';
import { languages, TestKind, Views } from './test-fixture.ts';

const unending = new AbortController().signal;

it('puts neighbouring ordinals into the same partition, and as many documents into each', () => {
  const counts = [0, 0, 0];
  for (let ord = 0; ord < 30 * 1024; ord++) counts[partitionOf(ord, 3)]! += 1;
  expect(counts).toEqual([10_240, 10_240, 10_240]);
  expect([0, 1023, 1024, 2048, 3072].map((ord) => partitionOf(ord, 3))).toEqual([0, 0, 1, 2, 0]);
});

it('names partitions as no collection can be named', () => {
  expect(partitionsOf('blog', 1).map(nameOfPartition)).toEqual(['blog']);
  expect(partitionsOf('blog', 2).map(nameOfPartition)).toEqual(['blog|1/2', 'blog|2/2']);
});

describe.each(DRIVERS)('a collection in partitions (%s)', (driver) => {
  const views = new Views(driver);
  const { add, remove, append } = views;
  let count = 3;
  const partitions = () => count;

  const start = async (kind?: TestKind, mostAtRest?: number) => {
    const opened = await views.started(kind, { partitions, mostAtRest });
    return { ...opened, names: () => opened.view.inMemory().map(({ name, documents }) => `${name}: ${documents}`) };
  };

  /** A document in each of the first partitions. */
  const addSome = async (...langs: readonly string[]): Promise<void> => {
    for (const [i, lang] of langs.entries()) {
      await views.skipTo(i * 1024 + 1);
      await add(lang, lang);
    }
  };

  const divide = async (into: number): Promise<void> => {
    count = into;
    await append({ kind: 'config.put', collection: 'c' });
  };

  const kept = async (): Promise<string[]> => {
    const folder = `${views.fixture.sql.info.ownFiles ?? views.fixture.sql.info.path}.test`;
    return (await readdir(join(dirname(folder), folder.slice(dirname(folder).length)))).filter((name) =>
      name.endsWith('.idx')
    ).sort();
  };

  it('has an index for each of them, which are searched as one', async () => {
    count = 3;
    const { view, names } = await start();
    await addSome('de', 'en', 'fr', 'it');
    await view.caughtUp();
    expect(languages(view)).toEqual(['de', 'en', 'fr', 'it']);
    expect(names()).toEqual(['c|1/3: 2', 'c|2/3: 1', 'c|3/3: 1']);
    expect([view.bytesOf('C'), view.counts()]).toEqual([8, { memory: 3, resting: 0, missing: 0 }]);
    await remove('en', 'en');
    await add('nl', 'de');
    await view.caughtUp();
    expect(languages(view)).toEqual(['de', 'fr', 'it', 'nl']);
    await views.fixture.call('deleteCollection', { collection: 'c' });
    await view.caughtUp();
    expect([view.indexOf('c'), names()]).toEqual([undefined, []]);
  });

  it('is built from the tables, each index from its own documents', async () => {
    count = 2;
    await addSome('de', 'en', 'fr');
    const { view, kind, names } = await start();
    expect(languages(view)).toEqual(['de', 'en', 'fr']);
    expect(names()).toEqual(['c|1/2: 2', 'c|2/2: 1']);
    expect(kind.puts).toHaveLength(3);
    expect(await view.reindex(['C'], unending)).toBe(3);
    expect(kind.puts).toHaveLength(6);
  });

  it.skipIf(driver === 'sql.js')('has a checkpoint for each, from which a start continues', async () => {
    count = 2;
    const first = await start();
    await addSome('de', 'en', 'fr');
    await first.view.caughtUp();
    await first.view.stop();
    expect(await kept()).toHaveLength(2);
    await add('it', 'it');
    await remove('en', 'en');
    const kind = new TestKind(views.fixture);
    const { view } = await start(kind);
    await view.caughtUp();
    expect([languages(view), kind.puts]).toEqual([['de', 'fr', 'it'], ['it']]);
  });

  it('is searched as before while it is divided anew, and then changes at once', async () => {
    count = 1;
    const { view, kind, names } = await start();
    await addSome('de', 'en', 'fr');
    await view.caughtUp();
    const scanning = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    kind.beforeScan = async (lang) => {
      if (lang !== 'fr') return;
      scanning.resolve();
      await goOn.promise;
    };
    await divide(3);
    await scanning.promise;
    expect([names(), view.isReady]).toEqual([['c: 3'], true]);
    await views.skipTo(4 * 1024);
    await add('it', 'it');
    await remove('de', 'de');
    await view.caughtUp();
    expect(languages(view)).toEqual(['en', 'fr', 'it']);
    goOn.resolve();
    await view.settled();
    expect(languages(view)).toEqual(['en', 'fr', 'it']);
    expect(names()).toEqual(['c|1/3: 0', 'c|2/3: 2', 'c|3/3: 1']);
    expect(kind.created[0]!.closed).toBe(1);
    await divide(1);
    await view.settled();
    expect([languages(view), names()]).toEqual([['en', 'fr', 'it'], ['c: 3']]);
  });

  it.skipIf(driver === 'sql.js')('leaves no checkpoints of its former partitions', async () => {
    count = 2;
    const { view } = await start();
    await addSome('de', 'en', 'fr');
    await view.caughtUp();
    await divide(3);
    await view.caughtUp();
    await view.settled();
    await view.stop();
    expect(await kept()).toHaveLength(3);
  });

  it('stays as it is if the new indexes cannot take a document', async () => {
    count = 1;
    const { view, kind, names } = await start();
    await addSome('de', 'en');
    await view.caughtUp();
    kind.poison = 'en';
    await divide(2);
    await view.caughtUp();
    await view.settled();
    expect([languages(view), names()]).toEqual([['de', 'en'], ['c: 2']]);
    kind.poison = undefined;
    await add('fr', 'fr');
    await view.caughtUp();
    expect([languages(view), names()]).toEqual([['de', 'en', 'fr'], ['c: 3']]);
    await divide(3);
    await view.caughtUp();
    await view.settled();
    expect(names()).toHaveLength(3);
  });

  it('begins with the number that was asked for last', async () => {
    count = 1;
    const { view, kind, names } = await start();
    await addSome('de', 'en');
    await view.caughtUp();
    const scanning = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    kind.beforeScan = async () => {
      scanning.resolve();
      await goOn.promise;
    };
    await divide(3);
    await scanning.promise;
    await divide(2);
    await view.caughtUp();
    goOn.resolve();
    await view.settled();
    expect([languages(view), names()]).toEqual([['de', 'en'], ['c|1/2: 1', 'c|2/2: 1']]);
  });

  it.skipIf(driver === 'sql.js')('rests in parts, and is read again as a whole', async () => {
    count = 2;
    const { view, names } = await start();
    await addSome('de', 'en');
    await view.caughtUp();
    for (const { name, usedAt } of view.inMemory()) expect(await view.rest(name, usedAt, unending)).toBe(true);
    await add('fr', 'de');
    await view.caughtUp();
    expect([names(), view.servingOf('c'), view.isReady]).toEqual([[], undefined, true]);
    await view.intoMemory(['c'], unending);
    expect([languages(view), names()]).toEqual([['de', 'en', 'fr'], ['c|1/2: 1', 'c|2/2: 2']]);
  });
});
