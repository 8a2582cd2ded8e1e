import { beforeEach, describe, expect, it } from 'vitest';
import { Loopback } from '../../testkit/parts/loopback.ts';
import type { Partition } from './partitions.ts';
import { IndexElsewhere, IndexLoading } from './readiness.ts';
import { languages, type TestKind, type TestView, Views } from './test-fixture.ts';

const unending = new AbortController().signal;
const part = (number: number, of = 3): Partition => ({ collection: 'c', number, of });

describe('a collection of which other nodes have some partitions', () => {
  const views = new Views('node:sqlite');
  let here: { readonly view: TestView; readonly kind: TestKind };
  let there: { readonly view: TestView; readonly kind: TestKind };
  let loopback: Loopback;
  /** Partitions that this node leaves to the other. */
  let left: Set<number>;

  beforeEach(async () => {
    for (const [i, lang] of ['de', 'en', 'fr', 'it'].entries()) {
      await views.skipTo(i * 1024 + 1);
      await views.add(lang, lang);
    }
    const partitions = () => 3;
    there = await views.started(undefined, { partitions, checkpoints: undefined });
    here = await views.started(undefined, { partitions, mostAtRest: 10 });
    loopback = new Loopback();
    for (const number of [0, 1, 2])
      loopback.add((method, args) => there.view.answer(part(number), method, args));
    left = new Set([0, 2]);
    here.view.leaveTo({ have: ({ number, of }) => of === 3 && left.has(number), documentsOf: () => 4 });
  });

  /** As a request does that waits for indexes which are loading. */
  const found = async (): Promise<string[] | undefined> => {
    await here.view.intoMemory(['c'], unending);
    return languages(here.view);
  };
  const inMemory = () => here.view.inMemory().map(({ name }) => name);

  it('is read as a whole: what is elsewhere is asked, all parts together, and nothing else is loaded', async () => {
    expect(await loopback.request(found)).toEqual(['de', 'en', 'fr', 'it']);
    expect([loopback.rounds, loopback.asked, inMemory()]).toEqual([1, ['byOrd', 'byOrd'], ['c|2/3']]);
    await views.add('nl', 'de');
    await views.remove('en', 'en');
    await Promise.all([here, there].map(({ view }) => view.caughtUp()));
    expect(await loopback.request(found)).toEqual(['de', 'fr', 'it', 'nl']);
    expect([loopback.rounds, here.kind.joins]).toEqual([1, 1]);
  });

  it('is read by stand-ins only if nothing of it is here', async () => {
    left.add(1);
    expect(await loopback.request(found)).toEqual(['de', 'en', 'fr', 'it']);
    expect([loopback.rounds, inMemory()]).toEqual([1, []]);
  });

  it('is prepared for searches by requests, which yield between the steps', async () => {
    here.kind.isPrepared = true;
    const steps: unknown[] = [];
    const reading = async (): Promise<string[] | undefined> => {
      for (;;) {
        try {
          return await found();
        } catch (error) {
          if (!(error instanceof IndexLoading)) throw error;
          steps.push(error);
          await error.changed;
        }
      }
    };
    expect(await loopback.request(reading)).toEqual(['de', 'en', 'fr', 'it']);
    expect([steps.length, loopback.rounds]).toEqual([3, 3]);
    expect(await loopback.request(found)).toHaveLength(4);
    expect(loopback.rounds).toBe(1);
  });

  it('is loaded outside of such a request, and then nobody is asked', async () => {
    await here.view.partIntoMemory(part(1), unending);
    expect(here.kind.puts).toEqual(['en']);
    const missing = await Promise.resolve().then(() => here.view.indexOf('C')).catch((error: unknown) => error);
    expect(missing).toBeInstanceOf(IndexElsewhere);
    await (missing as IndexElsewhere).load(unending);
    expect([languages(here.view), inMemory()]).toEqual([['de', 'en', 'fr', 'it'], ['c|1/3', 'c|2/3', 'c|3/3']]);
    expect(await loopback.request(found)).toHaveLength(4);
    expect(loopback.rounds).toBe(0);
  });

  it('loads the partitions that nobody has any longer', async () => {
    expect(await loopback.request(found)).toHaveLength(4);
    left.delete(2);
    expect(await loopback.request(found)).toEqual(['de', 'en', 'fr', 'it']);
    expect([loopback.rounds, inMemory()]).toEqual([1, ['c|2/3', 'c|3/3']]);
  });

  it('tells where each partition is', async () => {
    expect(await loopback.request(found)).toHaveLength(4);
    expect([0, 1, 2].map((number) => here.view.stateOf(part(number)))).toEqual(['resting', 'memory', 'resting']);
    expect(here.view.stateOf(part(1, 2))).toBe('missing');
    expect(here.view.stateOf({ collection: 'unknown', number: 0, of: 1 })).toBeUndefined();
    expect(here.view.bytesOf('c')).toBe(2);
  });

  it('answers other nodes by what is here, reads what rests, and refuses what it leaves to others', async () => {
    const ask = (number: number, of = 3) => here.view.answer(part(number, of), 'documents', []);
    expect(() => ask(1)).toThrow(IndexLoading);
    await here.view.partIntoMemory(part(1), unending);
    expect(ask(1)).toBe(1);
    expect(() => ask(0)).toThrow(IndexElsewhere);
    expect(() => ask(1, 2)).toThrow(IndexElsewhere);
    expect(() => here.view.answer(part(1), 'nothing', [])).toThrow(new RangeError('there is no method nothing'));
  });

  it('is rebuilt as far as it is in memory, and the rest when it is read', async () => {
    left.clear();
    await here.view.intoMemory(['c'], unending);
    for (const { name, usedAt } of here.view.inMemory())
      if (name !== 'c|2/3') expect(await here.view.rest(name, usedAt, unending)).toBe(true);
    here.kind.puts.length = 0;
    expect([await here.view.reindex(['c'], unending), here.kind.puts]).toEqual([4, ['en']]);
    await here.view.partIntoMemory(part(0), unending);
    expect([here.kind.puts.sort(), inMemory()]).toEqual([['de', 'en', 'it'], ['c|1/3', 'c|2/3']]);
  });

  it('answers as an empty one if nothing of it is indexed', async () => {
    for (const number of [0, 1])
      expect(here.view.answer({ collection: 'unknown', number, of: 3 }, 'documents', [])).toBe(0);
    const empty = here.kind.created.at(-1)!;
    await here.view.stop();
    expect([empty.closed, here.kind.created.filter((index) => index.documents === 0)]).toEqual([1, [empty]]);
  });
});
