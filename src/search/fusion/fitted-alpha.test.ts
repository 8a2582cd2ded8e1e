import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fittedAlpha, WEIGHTS } from './fitted-alpha.ts';

const order = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 30 });

describe('the weight of meaning where nobody names one', () => {
  it('is greater where the best of both sides have nothing in common', () => {
    const ten = Array.from({ length: 10 }, (_, i) => i);
    expect(fittedAlpha(ten, [100, 9])).toBe(WEIGHTS.agreed);
    expect(fittedAlpha(ten, [100, 101])).toBe(WEIGHTS.disagreed);
    expect(fittedAlpha([...ten, 100], [100, 101])).toBe(WEIGHTS.disagreed);
    expect(fittedAlpha([], [1])).toBe(WEIGHTS.disagreed);
    expect(WEIGHTS.disagreed).toBeGreaterThan(WEIGHTS.agreed);
  });

  it('is the same from either side, and looks at the best ten documents of each, however many passages they have', () => {
    fc.assert(fc.property(order, order, (words, meaning) => {
      const alpha = fittedAlpha(words, meaning);
      expect(fittedAlpha(meaning, words)).toBe(alpha);
      const [a, b] = [words, meaning].map((ords) => ords.filter((ord, i) => ords.indexOf(ord) === i).slice(0, 10)) as [
        number[],
        number[],
      ];
      expect(alpha).toBe(a.some((ord) => b.includes(ord)) ? WEIGHTS.agreed : WEIGHTS.disagreed);
    }));
  });
});
