import { describe, expect, it } from 'vitest';
import { cached, Generations, Lru } from './caches.ts';

describe('Lru', () => {
  it('evicts the least recently used', () => {
    const lru = new Lru<string, number>(2);
    lru.set('a', 1);
    lru.set('b', 2);
    expect(lru.get('a')).toBe(1);
    lru.set('c', 3);
    expect([lru.get('a'), lru.get('b'), lru.get('c')]).toEqual([1, undefined, 3]);
    expect(lru.size).toBe(2);
  });

  it('reports each value that leaves: pushed out, replaced, deleted, cleared', () => {
    const gone: number[] = [];
    const lru = new Lru<string, number>(2, { onForget: (value) => gone.push(value) });
    for (const [key, value] of [['a', 1], ['b', 2], ['c', 3], ['c', 4]] as const) lru.set(key, value);
    expect(gone).toEqual([1, 3]);
    expect([lru.delete('b'), lru.delete('b')]).toEqual([true, false]);
    lru.clear();
    expect(gone).toEqual([1, 3, 2, 4]);
  });

  it('evicts by the sum of sizes, and keeps nothing that exceeds the capacity alone', () => {
    const lru = new Lru<string, string>(5, { sizeOf: (value) => value.length });
    for (const [key, value] of [['a', 'xx'], ['b', 'xx'], ['c', 'x'], ['a', 'xxx']] as const) lru.set(key, value);
    expect([lru.get('a'), lru.get('b'), lru.get('c'), lru.total]).toEqual(['xxx', undefined, 'x', 4]);
    lru.set('d', 'xxxxxx');
    expect([lru.size, lru.total]).toEqual([0, 0]);
  });

  it('has a number of entries besides, and a capacity that may change', () => {
    const lru = new Lru<string, string>(5, { sizeOf: (value) => value.length, maxEntries: 2 });
    for (const key of ['a', 'b', 'c']) lru.set(key, 'x');
    expect([[...lru.values()], lru.has('a'), lru.oldest, lru.total]).toEqual([['x', 'x'], false, 'b', 2]);
    lru.capacity = 1;
    expect(lru.size).toBe(2);
    lru.set('d', 'y');
    expect([...lru.values()]).toEqual(['y']);
  });

  it('keeps nothing with a capacity of 0, and refuses one below', () => {
    const lru = new Lru<string, number>(0);
    lru.set('a', 1);
    expect([lru.get('a'), lru.size, lru.oldest]).toEqual([undefined, 0, undefined]);
    expect(() => new Lru(-1)).toThrow('capacity must be at least 0, got -1');
  });
});

describe('Generations', () => {
  it('keeps what is used, and forgets what is not', () => {
    const known = new Generations<string, number>(8);
    known.set('used', 1);
    known.set('unused', 2);
    for (let i = 0; i < 40; i++) {
      known.set(`n${i}`, i);
      expect(known.get('used')).toBe(1);
      expect(known.size).toBeLessThanOrEqual(10);
    }
    expect(known.get('unused')).toBeUndefined();
    expect(known.get('n39')).toBe(39);
  });

  it('returns the newest value of a key', () => {
    const known = new Generations<string, number>(4);
    known.set('a', 1);
    for (const key of 'bcd') known.set(key, 0);
    known.set('a', 2);
    expect(known.get('a')).toBe(2);
    known.clear();
    expect([known.get('a'), known.size]).toEqual([undefined, 0]);
  });
});

describe('cached', () => {
  it('keeps a response for its time and shares a load', async () => {
    let now = 0;
    let loads = 0;
    const read = cached(async () => ++loads, 100, { now: () => now });
    expect(await Promise.all([read(), read()])).toEqual([1, 1]);
    now = 99;
    expect(await read()).toBe(1);
    now = 100;
    expect(await read()).toBe(2);
  });

  it('does not keep a failure', async () => {
    let loads = 0;
    const read = cached(async () => {
      if (++loads === 1) throw new Error('not now');
      return loads;
    }, 100, { now: () => 0 });
    await expect(read()).rejects.toThrow('not now');
    expect(await read()).toBe(2);
  });
});
