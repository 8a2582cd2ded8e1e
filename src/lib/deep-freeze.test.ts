import { describe, expect, it } from 'vitest';
import { deepFreeze } from './deep-freeze.ts';

describe('deepFreeze', () => {
  it('freezes every level and returns the same object', () => {
    const value = { a: { list: [{ b: 1 }] }, none: null };
    expect(deepFreeze(value)).toBe(value);
    expect([value, value.a, value.a.list, value.a.list[0]].every(Object.isFrozen)).toBe(true);
  });
});
