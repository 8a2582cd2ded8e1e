import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutText } from './completion.ts';

describe('cutText', () => {
  it('keeps what fits, and else as much as fits with a mark, never half a character', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 2, max: 20 }), (text, most) => {
      const cut = cutText(text, most);
      expect(cut.length).toBeLessThanOrEqual(most);
      if (text.length <= most) {
        expect(cut).toBe(text);
        return;
      }
      expect(cut.endsWith('…')).toBe(true);
      expect(text.startsWith(cut.slice(0, -1))).toBe(true);
      expect(cut.isWellFormed()).toBe(true);
      expect(cut.length).toBeGreaterThanOrEqual(most - 1);
    }));
  });
});
