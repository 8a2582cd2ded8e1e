import { describe, expect, it } from 'vitest';
import { type Filter, parseFilter } from '../filter/index.ts';
import { type ColumnDocument, ColumnStore } from './index.ts';

function made(ord: number, more: Partial<ColumnDocument> = {}): ColumnDocument {
  return { ord, key: `k${ord}`, lang: 'en', addedAt: 0, updatedAt: 0, meta: { n: [String(ord)] }, ...more };
}

const filter = parseFilter('n >= 0');

describe('what filters have selected', () => {
  it('is the same object until a document changes or expires', () => {
    const store = ColumnStore.create();
    for (let ord = 0; ord < 10; ord++) store.put(made(ord, ord === 3 ? { expiresAt: 100 } : {}));
    const select = (now: number): unknown => store.select({ filter: parseFilter('n >= 0'), now });
    const first = select(10);
    expect(select(99)).toBe(first);
    const later = store.select({ filter, now: 100 });
    expect([...later!]).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9]);
    expect(select(5000)).toBe(later);
    store.put(made(3));
    expect(store.count(store.select({ filter, now: 5000 }))).toBe(10);
    store.remove(4);
    expect(store.count(store.select({ filter, now: 5000 }))).toBe(9);
  });

  it('needs no set where nothing narrows it', () => {
    const store = ColumnStore.create();
    store.put(made(1, { expiresAt: 50 }));
    store.put(made(2));
    expect(store.select({ now: 49 })).toBeUndefined();
    expect([...store.select({ now: 50 })!]).toEqual([2]);
    store.put(made(3, { expiresAt: 40 }));
    expect([...store.select({ now: 45 })!]).toEqual([1, 2]);
    store.remove(1);
    store.remove(3);
    expect(store.select({ now: 60 })).toBeUndefined();
  });

  it('is not changed by what is hidden from one request', () => {
    const store = ColumnStore.create();
    for (let ord = 0; ord < 4; ord++) store.put(made(ord));
    const set = store.select({ filter, now: 0 });
    expect([...store.select({ filter, now: 0, hidden: [1, 70] })!]).toEqual([0, 2, 3]);
    expect([...store.select({ now: 0, hidden: [2] })!]).toEqual([0, 1, 3]);
    expect([...store.select({ filter, now: 0 })!]).toEqual([0, 1, 2, 3]);
    expect(store.select({ filter, now: 0 })).toBe(set);
  });

  it('has a bound on its bytes', () => {
    const store = ColumnStore.create({ cacheBytes: 20_000 });
    store.put(made(1));
    const memory = store.stats().bytes.total;
    const filters = Array.from({ length: 200 }, (_, i): Filter => ({ kind: 'match', field: 'n', values: [String(i)] }));
    const sets = filters.map((one) => store.select({ filter: one, now: 0 }));
    expect(store.stats().bytes.total - memory).toBeGreaterThan(10_000);
    expect(store.stats().bytes.total - memory).toBeLessThanOrEqual(20_000);
    expect(store.select({ filter: filters.at(-1), now: 0 })).toBe(sets.at(-1));
    expect(store.select({ filter: filters[0], now: 0 })).not.toBe(sets[0]);
  });

  it('distinguishes infinite numbers from each other and from none', () => {
    const store = ColumnStore.create();
    store.put(made(1, { meta: { n: ['1e999'] } }));
    const found = (value: number): number =>
      store.count(store.select({ filter: { kind: 'match', field: 'n', values: [value] }, now: 0 }));
    expect([found(Infinity), found(-Infinity), found(Infinity)]).toEqual([1, 0, 1]);
  });
});

describe('values that no document has any more', () => {
  it('are forgotten, and their numbers used again', () => {
    const store = ColumnStore.create({ build: 'debug' });
    const sorting = { keys: [{ column: { kind: 'meta', key: 'n' }, descending: false }], offset: 0, count: 3 } as const;
    for (let ord = 0; ord < 1000; ord++) store.put(made(ord));
    expect(store.sort(undefined, sorting).map(({ ord }) => ord)).toEqual([0, 1, 2]);
    const before = store.stats().bytes.dictionaries;
    for (let round = 1; round < 20; round++) {
      for (let ord = 0; ord < 1000; ord++) store.put(made(ord, { meta: { n: [String(round * 1000 + ord)] } }));
      while (store.tidy());
    }
    expect(store.sort(undefined, sorting).map(({ ord, place }) => [ord, place[0]])).toEqual([[0, 19_000], [1, 19_001], [
      2,
      19_002,
    ]]);
    expect(store.stats().bytes.dictionaries).toBeLessThan(before * 2.5);
  });
});
