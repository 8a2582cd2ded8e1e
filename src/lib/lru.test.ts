import { describe, expect, it } from 'vitest';
import { Lru } from './lru.ts';

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
