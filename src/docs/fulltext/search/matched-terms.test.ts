import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TermSets } from './words-retriever.ts';

describe('TermSets', () => {
  it('has the terms in the order in which they were added, and one set for each order', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }), { maxLength: 4 })),
        (documents) => {
          const sets = new TermSets();
          const byOrder = new Map<string, ReadonlySet<string>>();
          for (const leaves of documents) {
            const found = leaves.reduce((terms, more) => sets.with(terms, more), sets.none);
            const expected = [...new Set(leaves.flat())];
            expect([...found]).toEqual(expected);
            expect(byOrder.get(expected.join()) ?? found).toBe(found);
            byOrder.set(expected.join(), found);
          }
        }),
    );
  });
});
