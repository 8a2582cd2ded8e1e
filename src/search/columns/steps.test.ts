import { describe, expect, it } from 'vitest';
import { Pace } from '../../lib/pace.ts';
import { mostWork } from '../../testkit/work-counter.ts';
import type { Filter } from '../filter/index.ts';
import { type Columns, ColumnStore } from './index.ts';

const DOCUMENTS = 10_000;
/** Units of work that may be done without a pause: some milliseconds. */
const BOUND = 600_000;

function filled(): ColumnStore {
  const store = ColumnStore.create({ fewValues: 64 });
  for (let ord = 0; ord < DOCUMENTS; ord++) {
    const number = (ord * 7919) % DOCUMENTS;
    store.put({
      ord,
      key: `k${ord}`,
      lang: 'en',
      addedAt: 1000 + ord,
      updatedAt: 5000,
      expiresAt: ord % 10 === 0 ? 9000 : undefined,
      meta: { number: [String(number)], few: [`v${ord % 3}`] },
    });
  }
  return store;
}

/** A filter with as many conditions as it may have; others with the same meaning and another `n` are not remembered. */
function long(n: number): Filter {
  return {
    kind: 'and',
    parts: [{
      kind: 'or',
      parts: Array.from({ length: 99 },
        (_, i): Filter => ({ kind: 'range', field: 'meta.number', bounds: { gte: i + n, lt: 5000 } })),
    }, {
      kind: 'not',
      part: {
        kind: 'or',
        parts: Array.from({ length: 100 },
          (_, i): Filter => ({ kind: 'match', field: 'meta.number', values: [i * 2 + n, `${i} nothing`] })),
      },
    }, { kind: 'range', field: 'addedAt', bounds: { lt: 8000 } }],
  };
}

async function prepared(columns: Columns, filter: Filter, now: number): Promise<number> {
  const pace = new Pace();
  let steps = 1;
  for (; !columns.prepare({ filter, now }); steps++) await pace.rest();
  return steps;
}

describe('a filter of many conditions over many documents', () => {
  it('is evaluated in small steps, between which others are evaluated, and counts and sorts are made', async () => {
    const [store, reference] = [filled(), filled()];
    let found: unknown;
    expect(await mostWork(async () => {
      const all = [0, 1, 2].map(async (n) => {
        const filter = long(n);
        expect(await prepared(store, filter, 8000)).toBeGreaterThan(1);
        return [...store.select({ filter, now: 8000 })!];
      });
      store.select({ filter: { kind: 'match', field: 'meta.few', values: ['v1'] }, now: 8000, hidden: [5] });
      store.factors([{ key: 'few', value: 'v1', factor: 2 }], { least: 0.5, most: 4 });
      store.sort(undefined, { keys: [], offset: 3, count: 3 });
      found = await Promise.all(all);
    })).toBeLessThan(BOUND);
    expect(found).toEqual([0, 1, 2].map((n) => [...reference.select({ filter: long(n), now: 8000 })!]));
  });

  it('leaves out what has expired', async () => {
    const [store, reference] = [filled(), filled()];
    await prepared(store, long(3), 9500);
    const found = [...store.select({ filter: long(3), now: 9500 })!];
    expect(found).toEqual([...reference.select({ filter: long(3), now: 9500 })!]);
    expect(found.some((ord) => ord % 10 === 0)).toBe(false);
  });

  it('lets a change wait until its documents are selected, but begins again after one that did not', async () => {
    const [store, filter] = [filled(), long(4)];
    while (!store.prepare({ filter }));
    expect(store.prepare({ filter, now: 8000 })).toBe(false);
    store.remove(1234);
    await prepared(store, filter, 8000);
    expect(store.settle()).toBe(true);
    const found = store.select({ filter, now: 8000 })!;
    expect([store.settle(), found.has(1234)]).toEqual([false, false]);
    expect(store.prepare({ filter: long(5), now: 8000 })).toBe(false);
    let steps = 0;
    while (store.settle()) steps += 1;
    expect(steps).toBeLessThan(10_000);
  });

  it('is refused by the request that has it, and by no other', async () => {
    const store = filled();
    const wrong: Filter = { kind: 'and', parts: [long(6), { kind: 'match', field: 'addedAt', values: ['yesterday'] }] };
    store.prepare({ filter: wrong, now: 8000 });
    await prepared(store, long(7), 8000);
    expect(store.select({ filter: long(7), now: 8000 })!.size).toBeGreaterThan(0);
    await prepared(store, wrong, 8000);
    expect(() => store.select({ filter: wrong, now: 8000 })).toThrow(RangeError);
  });
});
