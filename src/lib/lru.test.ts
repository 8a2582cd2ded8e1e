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
    const lru = new Lru<string, number>(2, (value) => gone.push(value));
    for (const [key, value] of [['a', 1], ['b', 2], ['c', 3], ['c', 4]] as const) lru.set(key, value);
    expect(gone).toEqual([1, 3]);
    expect([lru.delete('b'), lru.delete('b')]).toEqual([true, false]);
    lru.clear();
    expect(gone).toEqual([1, 3, 2, 4]);
  });

  it('evicts by the sum of sizes, and keeps nothing that exceeds the capacity alone', () => {
    const lru = new Lru<string, string>(5, () => {}, (value) => value.length);
    for (const [key, value] of [['a', 'xx'], ['b', 'xx'], ['c', 'x'], ['a', 'xxx']] as const) lru.set(key, value);
    expect([lru.get('a'), lru.get('b'), lru.get('c'), lru.total]).toEqual(['xxx', undefined, 'x', 4]);
    lru.set('d', 'xxxxxx');
    expect([lru.size, lru.total]).toEqual([0, 0]);
  });

  it('refuses a capacity below 1', () => {
    expect(() => new Lru(0)).toThrow('capacity must be at least 1, got 0');
  });
});
