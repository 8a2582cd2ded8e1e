import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalMeta, parseMeta } from './document-rows.ts';

const meta = fc.dictionary(fc.oneof(fc.constantFrom('a', 'b', '__proto__', 'constructor', '10', '9'), fc.string()),
  fc.array(fc.constantFrom('', 'x', 'y'), { maxLength: 4 }), { maxKeys: 5 });

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
    expect(canonicalMeta({ b: ['2', '1'], 10: [], 9: [], a: ['"'] })).toBe(
      '{"10":[],"9":[],"a":["\\""],"b":["2","1"]}',
    );
  });
});
