import { describe, expect, it } from 'vitest';
import { ReturningLru } from './returning-lru.ts';

describe('ReturningLru', () => {
  const fill = (lru: ReturningLru<string, number>, names: string) => [...names].forEach((name, i) => lru.set(name, i));

  it('forgets first what was asked for once', () => {
    const lru = new ReturningLru<string, number>({ recent: 2, keys: 10, returned: 10 });
    fill(lru, 'ab');
    expect(lru.get('a')).toBe(0);
    fill(lru, 'cde');
    expect([...'abcde'].map((name) => lru.get(name))).toEqual([0, undefined, undefined, 1, 2]);
    expect(lru.size).toBe(3);
  });

  it('keeps what returns after it was forgotten, so that queries that take turns are found at their third time', () => {
    const lru = new ReturningLru<string, number>({ recent: 2, keys: 10, returned: 10 });
    const names = 'abcdefgh';
    const ask = (name: string) => {
      const known = lru.get(name);
      if (known === undefined) lru.set(name, 1);
      return known !== undefined;
    };
    const found = () => [...names].filter(ask).length;
    expect([found(), found(), found()]).toEqual([0, 2, 8]);
  });

  it('has at most as many values as it may, and replaces them', () => {
    const lru = new ReturningLru<string, number>({ recent: 2, keys: 3, returned: 3 });
    for (let round = 0; round < 4; round++) fill(lru, 'abcdefgh');
    expect(lru.size).toBeLessThanOrEqual(5);
    lru.set('z', 1);
    expect(lru.get('z')).toBe(1);
    lru.set('z', 2);
    expect(lru.get('z')).toBe(2);
  });

  it('counts the sizes of values that return', () => {
    const lru = new ReturningLru<string, number>({ recent: 2, keys: 10, returned: 5, sizeOf: (value) => value });
    for (const [name, size] of [['a', 2], ['b', 3], ['c', 4]] as const) {
      lru.set(name, size);
      lru.get(name);
    }
    expect([lru.total, lru.get('a'), lru.get('b'), lru.get('c')]).toEqual([4, undefined, undefined, 4]);
  });

  it('forgets everything when it is cleared, also what left', () => {
    const lru = new ReturningLru<string, number>({ recent: 1, keys: 10, returned: 10 });
    fill(lru, 'abb');
    expect(lru.get('b')).toBe(2);
    lru.clear();
    expect([lru.size, lru.total, lru.get('b')]).toEqual([0, 0, undefined]);
    fill(lru, 'ac');
    expect(lru.get('a')).toBeUndefined();
  });
});
