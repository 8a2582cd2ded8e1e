import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slices } from './slices.ts';

describe('slices', () => {
  it('hold every text once, and few characters after padding unless a text is alone', () => {
    const text = fc.integer({ min: 1, max: 40_000 }).map((length) => 'x'.repeat(length));
    fc.assert(fc.property(fc.array(text, { maxLength: 64 }), (texts) => {
      const portions = slices(texts);
      expect(portions.flat().sort((a, b) => a - b)).toEqual(texts.map((_, i) => i));
      for (const portion of portions) {
        const longest = Math.max(...portion.map((index) => texts[index]!.length));
        expect(portion.length).toBeLessThanOrEqual(16);
        expect(portion.length === 1 || portion.length * longest <= 16_000).toBe(true);
      }
    }));
  });

  it('put texts of like length together', () => {
    expect(slices(['x'.repeat(9000), 'a', 'x'.repeat(8000), 'b'])).toEqual([[1, 3], [2], [0]]);
    expect(slices([])).toEqual([]);
  });
});
