import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../testkit/crash/random.ts';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { IndexLoading } from './readiness.ts';
import { languages, TestKind, Views } from './test-fixture.ts';

type Opened = Awaited<ReturnType<Views['started']>> & { readonly timer: ManualTimer };

describe('indexes at rest', () => {
  const views = new Views('node:sqlite');
  const { add, append, open, remove } = views;
  const started = async (timer = new ManualTimer(), kind = new TestKind(views.fixture)): Promise<Opened> => {
    const { view } = open(kind, { timer, restAfterMs: 1000 });
    await view.start();
    await view.settled();
    return { view, kind, timer };
  };

  /** The languages of a collection, as a request finds them that waits for its index. */
  async function found({ view }: Pick<Opened, 'view'>, collection = 'c'): Promise<string[] | undefined> {
    await view.caughtUp();
    await view.intoMemory([collection]);
    return languages(view, collection);
  }

  /** What nobody uses during a round rests after it. */
  async function round({ view, timer }: Opened): Promise<void> {
    const slept = timer.sleeps.length;
    await timer.elapse();
    while (timer.sleeps.length === slept) await setImmediate();
    await view.settled();
  }

  it('are not read at a start, and yet complete', async () => {
    await add('de', 'a');
    await add('en', 'b', 'other');
    await (await started()).view.stop();
    const { view, kind } = await started();
    expect([view.isReady, kind.puts, view.bytesOf('c'), view.inMemory('c')]).toEqual([true, [], undefined, undefined]);
    expect(() => view.indexOf('c')).toThrow(IndexLoading);
    expect(await found({ view })).toEqual(['de']);
    expect(view.inMemory('other')).toBeUndefined();
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
    const index = view.inMemory('c')!;
    for (let i = 0; i < 2; i++) await round(opened);
    expect([view.inMemory('c'), index.closed, view.isReady]).toEqual([undefined, 1, true]);
    await add('en', 'b');
    await remove('de', 'a');
    await view.caughtUp();
    expect([view.inMemory('c'), kind.puts]).toEqual([undefined, ['de']]);
    expect(await found({ view })).toEqual(['en']);
  });

  it('stay in memory while somebody searches or changes them', async () => {
    const opened = await started();
    const { view } = opened;
    await add('de', 'a', 'searched');
    await add('de', 'a', 'changed');
    await add('de', 'a', 'neither');
    for (let i = 0; i < 3; i++) {
      languages(view, 'searched');
      await add('de', `b${i}`, 'changed');
      await view.caughtUp();
      await round(opened);
    }
    expect(['searched', 'changed', 'neither'].map((name) => view.inMemory(name) !== undefined)).toEqual([true, true,
      false]);
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
    for (let i = 0; i < 2; i++) await round(opened);
    await views.fixture.call('deleteCollection', { collection: 'c' });
    expect(await found(opened)).toBeUndefined();
  });

  it('are made anew when a change asks for that', async () => {
    await add('de', 'a');
    const first = await started();
    await found(first);
    await first.view.stop();
    await append({ kind: 'test.reindex' as never, collection: 'c' });
    const { view, kind } = await started();
    expect([await found({ view }), kind.puts]).toEqual([['de'], ['de']]);
    expect(await view.reindex(['c'], new AbortController().signal)).toBe(1);
    expect(kind.puts).toEqual(['de', 'de']);
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
        await round(opened);
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
