import { expect, it } from 'vitest';
import { silentLog as log } from '../../lib/log.ts';
import type { Sql } from '../../storage/index.ts';
import { TokenWarmUp } from './token-matching.ts';

const MODEL = { model: 'm', variant: 'v' };

/** A warm-up of `documents` documents, numbered from 1, in the collections `near` and, every third one, `far`. */
function setUp(documents: number, capacity = Infinity) {
  const state = {
    now: 0,
    idle: true,
    documents,
    read: [] as number[],
    failures: 0,
    model: MODEL as typeof MODEL | undefined,
  };
  const all = async (_text: string, [after, , , limit]: readonly number[]) =>
    Array.from({ length: state.documents }, (_, i) => i + 1).filter((ord) => ord > after!).slice(0, limit).map((
      ord,
    ) => ({ ord, name: ord % 3 === 0 ? 'far' : 'near' }));
  const warmUp = new TokenWarmUp({
    sql: { background: { all } } as unknown as Pick<Sql, 'background'>,
    clock: { now: () => state.now },
    log,
    isIdle: () => state.idle,
    isLocal: (name) => name === 'near',
    matching: {
      get model() {
        return state.model;
      },
      async fill(ords) {
        if (state.failures-- > 0) throw new Error('not now');
        if (state.read.length + ords.length > capacity) return false;
        state.read.push(...ords);
        return true;
      },
    },
  });
  /** Wakes it, and waits until the pass has ended. */
  const pass = async () => {
    warmUp.wake();
    for (let before = -1; before !== state.read.length;) {
      before = state.read.length;
      await new Promise(setImmediate);
    }
  };
  return { state, warmUp, pass };
}

const near = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i).filter((ord) => ord % 3 !== 0);

it('reads each document once, except those whose bodies are elsewhere, and later the new ones', async () => {
  const { state, pass } = setUp(100);
  await pass();
  expect(state.read).toEqual(near(1, 100));
  state.documents = 120;
  await pass();
  expect(state.read).toEqual(near(1, 100));
  state.now += 5000;
  await pass();
  expect(state.read).toEqual(near(1, 120));
});

it('reads nothing while documents are embedded, without token vectors, and when the cache is full', async () => {
  const { state, pass } = setUp(100, 20);
  state.idle = false;
  await pass();
  state.now += 5000;
  state.idle = true;
  state.model = undefined;
  await pass();
  expect(state.read).toEqual([]);
  state.now += 5000;
  state.model = MODEL;
  await pass();
  expect(state.read).toEqual(near(1, 16));
});

it('continues after a failure, and ends when it is stopped', async () => {
  const { state, warmUp, pass } = setUp(100);
  state.failures = 1;
  await pass();
  expect(state.read).toEqual([]);
  state.now += 5000;
  warmUp.wake();
  await warmUp.stop();
  const { length } = state.read;
  expect(length).toBeLessThan(near(1, 100).length);
  state.now += 5000;
  await pass();
  expect(state.read).toHaveLength(length);
});
