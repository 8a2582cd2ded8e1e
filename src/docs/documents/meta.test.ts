import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalMeta, distinctPairs, pairChanges, parseMeta } from './meta.ts';

const meta = fc.dictionary(fc.oneof(fc.constantFrom('a', 'b', '__proto__', 'constructor', '10', '9'), fc.string()), fc.array(fc.constantFrom('', 'x', 'y'), { maxLength: 4 }), { maxKeys: 5 });
const asSet = (pairs: [string, string][]) => new Set(pairs.map((pair) => JSON.stringify(pair)));

describe('metadata', () => {
  it('keep their values, order and repeats', () => {
    fc.assert(fc.property(meta, (value) => {
      const read = parseMeta(canonicalMeta(value));
      expect(Object.entries(read).sort()).toEqual(Object.entries(value).sort());
    }));
  });

  it('have one text, in whatever order the keys come (decision D-36)', () => {
    fc.assert(fc.property(meta, (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse());
      expect(canonicalMeta(reversed)).toBe(canonicalMeta(value));
    }));
    expect(canonicalMeta({ b: ['2', '1'], 10: [], 9: [], a: ['"'] })).toBe('{"10":[],"9":[],"a":["\\""],"b":["2","1"]}');
  });

  it('are indexed by what changes alone', () => {
    fc.assert(fc.property(meta, meta, (before, after) => {
      const { removed, added } = pairChanges(before, after);
      const pairs = asSet(distinctPairs(before));
      for (const pair of asSet(removed)) expect(pairs.delete(pair)).toBe(true);
      for (const pair of asSet(added)) expect(pairs.has(pair)).toBe(false);
      expect(new Set([...pairs, ...asSet(added)])).toEqual(asSet(distinctPairs(after)));
    }));
  });
});
