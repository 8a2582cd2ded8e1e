import { describe, expect, it } from 'vitest';
import { toMeta } from './input.ts';

describe('metadata as a list', () => {
  it('become a map whose values are joined by key', () => {
    expect(toMeta([{ key: 'a', values: ['1'] }, { key: 'b', values: [] }, { key: 'a', values: ['2', '1'] }])).toEqual({
      a: ['1', '2', '1'],
      b: [],
    });
    expect(Object.entries(toMeta([{ key: '__proto__', values: ['x'] }])!)).toEqual([['__proto__', ['x']]]);
  });

  it('are absent where there is no list, and empty where it is', () => {
    expect([toMeta(null), toMeta(undefined), toMeta([])]).toEqual([undefined, undefined, {}]);
  });

  it('with one key a hundred thousand times take no time that is quadratic', () => {
    const meta = toMeta(Array.from({ length: 100_000 }, (_, i) => ({ key: 'k', values: [String(i)] })))!;
    expect(meta['k']).toHaveLength(100_000);
  });
});
