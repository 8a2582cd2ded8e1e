import { describe, expect, it } from 'vitest';
import { Generations } from './generations.ts';

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
