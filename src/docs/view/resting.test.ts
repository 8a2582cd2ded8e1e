import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../testkit/crash/random.ts';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { IndexElsewhere, IndexLoading, loadingHere } from './readiness.ts';
import { languages, TestKind, Views } from './test-fixture.ts';

type Opened = Awaited<ReturnType<Views['started']>>;

const unending = new AbortController().signal;

describe('indexes at rest', () => {
  const views = new Views('node:sqlite');
  const { add, append, open, remove } = views;
  const started = async (kind = new TestKind(views.fixture)): Promise<Opened> => {
    const { view } = open(kind, { mostAtRest: 10 });
    await view.start();
    await view.settled();
    return { view, kind };
  };

  /** The languages of a collection, as a request finds them that waits for its index. */
  async function found({ view }: Pick<Opened, 'view'>, collection = 'c'): Promise<string[] | undefined> {
    await view.caughtUp();
    await view.intoMemory([collection], unending);
    return languages(view, collection);
  }

  const rest = async ({ view }: Pick<Opened, 'view'>, collection = 'c'): Promise<boolean> => {
    const index = view.inMemory().find((each) => each.name === collection);
    return index !== undefined && view.rest(collection, index.usedAt, unending);
  };

  it('are not read at a start, and yet complete', async () => {
    await add('de', 'a');
    await add('en', 'b', 'other');
    await (await started()).view.stop();
    const { view, kind } = await started();
    expect([view.isReady, kind.puts, view.bytesOf('c'), view.servingOf('c')]).toEqual([true, [], undefined, undefined]);
    expect([view.counts(), view.woken]).toEqual([{ memory: 0, resting: 2, missing: 0 }, 0]);
    expect(() => view.indexOf('c')).toThrow(IndexLoading);
    expect(await found({ view })).toEqual(['de']);
    expect(view.servingOf('other')).toBeUndefined();
    expect([view.counts(), view.woken]).toEqual([{ memory: 1, resting: 1, missing: 0 }, 1]);
  });

  it('are read from their checkpoint, with what changed since then', async () => {
    await add('de', 'a');
    await add('en', 'b');
    const first = await started();
    expect(await found(first)).toEqual(['de', 'en']);
    await first.view.stop();
    await add('fr', 'c');
    await remove('de', 'a');
    const { view, kind } = await started();
    await add('it', 'd');
    expect(await found({ view })).toEqual(['en', 'fr', 'it']);
    expect(kind.puts.sort()).toEqual(['fr', 'it']);
    await view.stop();
    const again = await started();
    expect(await found(again)).toEqual(['en', 'fr', 'it']);
    expect(again.kind.puts).toEqual([]);
  });

  it('leave the memory when nobody uses them, and get later changes', async () => {
    const opened = await started();
    const { view, kind } = opened;
    await add('de', 'a');
    await view.caughtUp();
    const [index] = kind.created;
    expect(await rest(opened)).toBe(true);
    expect([view.servingOf('c'), index!.closed, view.isReady]).toEqual([undefined, 1, true]);
    await add('en', 'b');
    await remove('de', 'a');
    await view.caughtUp();
    expect([view.servingOf('c'), kind.puts]).toEqual([undefined, ['de']]);
    expect(await found({ view })).toEqual(['en']);
  });

  it('stay in memory if somebody has searched or changed them meanwhile, or they are being built', async () => {
    const { view, kind } = await started();
    await add('de', 'a');
    await view.caughtUp();
    const [index] = view.inMemory();
    languages(view);
    expect(await view.rest('c', index!.usedAt, unending)).toBe(false);
    const [searched] = view.inMemory();
    await add('en', 'b');
    await view.caughtUp();
    expect(await view.rest('c', searched!.usedAt, unending)).toBe(false);
    kind.beforeScan = () => {
      kind.beforeScan = () => {};
      const [present] = view.inMemory();
      void view.rest('c', present!.usedAt, unending);
    };
    await view.reindex(['c'], new AbortController().signal);
    expect(await rest({ view }, 'other')).toBe(false);
    expect(languages(view)).toEqual(['de', 'en']);
    await view.stop();
    expect(await view.rest('c', 0, unending)).toBe(false);
  });

  it('hold up neither who lets them rest nor who asks for them and leaves, while something else is built', async () => {
    await add('de', 'a');
    const { view, kind } = await started();
    await view.intoMemory(['c'], unending);
    await add('en', 'b', 'other');
    await view.caughtUp();
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    kind.beforeScan = () => {
      begun.resolve();
      return held.promise;
    };
    void view.reindex(['other'], unending).catch(() => undefined);
    await begun.promise;
    const leaving = new AbortController();
    const resting = view.rest('c', view.inMemory().find(({ name }) => name === 'c')!.usedAt, leaving.signal);
    leaving.abort();
    expect(await resting).toBe(false);
    held.resolve();
    await view.settled();
    expect(await rest({ view })).toBe(true);
    kind.outOfReach = 'de';
    await expect(view.intoMemory(['c'], AbortSignal.abort(new Error('the client has gone')))).rejects.toThrow('gone');
  });

  it('whose bodies cannot be read are tried once in a while, however many ask for them', async () => {
    await add('de', 'a');
    const timer = new ManualTimer();
    const kind = new TestKind(views.fixture);
    const { view } = open(kind, { mostAtRest: 10, timer });
    await view.start();
    kind.outOfReach = 'de';
    for (let i = 0; i < 3; i++) {
      await view.intoMemory(['c'], unending);
      expect(() => view.indexOf('c')).toThrow(IndexLoading);
      await setImmediate();
    }
    expect(timer.sleeps).toEqual([5000]);
    kind.outOfReach = undefined;
    await timer.elapse();
    await expect.poll(() => view.servingOf('c')?.documents).toBe(1);
  });

  it('are left to other nodes, or read here if none of them answers, and refused if that is not possible', async () => {
    await add('de', 'a');
    const kind = new TestKind(views.fixture);
    const { view } = open(kind, { mostAtRest: 10, timer: new ManualTimer() });
    await view.start();
    view.leaveTo(({ collection }) => collection === 'c');
    const missing = (): IndexElsewhere => {
      try {
        view.indexOf('C');
      } catch (error) {
        if (error instanceof IndexElsewhere) return error;
        throw error;
      }
      throw new Error('the index is here');
    };
    kind.outOfReach = 'de';
    expect(missing().collection).toBe('C');
    await expect(missing().load(unending)).rejects.toThrow(IndexLoading);
    await expect(loadingHere(async () => view.indexOf('c'), unending)).rejects.toThrow(IndexLoading);
    await view.restart();
    kind.outOfReach = undefined;
    expect((await loadingHere(async () => view.indexOf('c'), unending))?.documents).toBe(1);
  });

  it('forget a collection that was deleted, and a former one of its name', async () => {
    await add('de', 'a');
    const first = await started();
    await found(first);
    await first.view.stop();
    await views.fixture.call('deleteCollection', { collection: 'c' });
    await add('en', 'b');
    const opened = await started();
    expect(await found(opened)).toEqual(['en']);
    expect(await rest(opened)).toBe(true);
    await views.fixture.call('deleteCollection', { collection: 'c' });
    expect(await found(opened)).toBeUndefined();
  });

  it('are made anew when a change asks for that', async () => {
    await add('de', 'a');
    const first = await started();
    await found(first);
    await first.view.stop();
    await append({ kind: 'test.reindex', collection: 'c' });
    const { view, kind } = await started();
    expect([await found({ view }), kind.puts]).toEqual([['de'], ['de']]);
    expect(await view.reindex(['c'], new AbortController().signal)).toBe(1);
    expect(kind.puts).toEqual(['de', 'de']);
  });

  it('are made anew when a change asks for that while they are read', async () => {
    await add('de', 'a');
    const first = await started();
    await found(first);
    await first.view.stop();
    await add('en', 'b');
    const { view, kind } = await started();
    kind.steps = 1;
    kind.onStep = (lang) => {
      if (lang !== 'en' || kind.puts.length > 0) return;
      kind.onStep = () => {};
      void append({ kind: 'test.reindex', collection: 'c' });
    };
    await view.intoMemory(['c'], unending);
    await expect.poll(() => kind.puts).toEqual(['en', 'de', 'en']);
    await view.settled();
    expect(await found({ view })).toEqual(['de', 'en']);
  });

  it('equal the tables after any writes, rests, searches and starts', async () => {
    const random = seededRandom(7);
    const present = new Map<string, string>();
    let opened = await started();
    for (let step = 0; step < 120; step++) {
      const key = `k${random.integer(0, 5)}`;
      const choice = random.next();
      if (choice < 0.5) {
        await add(`v${step}`, key);
        present.set(`${key} v${step}`, `v${step}`);
      } else if (choice < 0.65) {
        for (const [name, version] of [...present].filter(([name]) => name.startsWith(key))) {
          await remove(version, key);
          present.delete(name);
        }
      } else if (choice < 0.8) {
        await rest(opened);
      } else if (choice < 0.85) {
        await opened.view.stop();
        opened = await started();
      } else {
        expect(await found(opened) ?? []).toEqual([...present.values()].sort());
      }
    }
    expect(await found(opened)).toEqual([...present.values()].sort());
  });

  it('keep their checkpoint when they have rested all the time', async () => {
    await add('de', 'a');
    const first = await started();
    await found(first);
    await first.view.stop();
    await (await started()).view.stop();
    await (await started()).view.stop();
    const { view, kind } = await started();
    expect([await found({ view }), kind.puts]).toEqual([['de'], []]);
  });
});
