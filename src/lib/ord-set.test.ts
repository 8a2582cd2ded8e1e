import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrdSet } from './ord-set.ts';

const ords = fc.array(fc.nat(300), { maxLength: 60 });
const sorted = (set: ReadonlySet<number>): number[] => [...set].sort((a, b) => a - b);

describe('a set of ordinals', () => {
  it('behaves as a set of numbers', () => {
    fc.assert(fc.property(ords, ords, ords, (added, removed, others) => {
      const set = OrdSet.of(added);
      const model = new Set(added);
      for (const ord of removed) {
        set.delete(ord);
        model.delete(ord);
      }
      expect([...set]).toEqual(sorted(model));
      expect(set.size).toBe(model.size);
      for (const ord of [...added, ...removed, 5000]) expect(set.has(ord)).toBe(model.has(ord));
      set.intersect(OrdSet.of(others));
      expect([...set]).toEqual(sorted(model.intersection(new Set(others))));
    }));
  });

  it('unites, and has a complement', () => {
    fc.assert(fc.property(ords, ords, (some, others) => {
      const set = OrdSet.of(some);
      const complement = set.complement(300);
      for (let ord = 0; ord <= 300; ord++) expect(complement.has(ord)).toBe(!set.has(ord));
      set.unite(OrdSet.of(others));
      expect([...set]).toEqual(sorted(new Set([...some, ...others])));
    }));
  });

  it('holds all up to an ordinal', () => {
    const set = OrdSet.upTo(40);
    expect([set.has(0), set.has(40)]).toEqual([true, true]);
    expect([...OrdSet.fromWords(Uint32Array.of(0x80000001))]).toEqual([0, 31]);
  });
});
