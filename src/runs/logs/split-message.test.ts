import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitMessage } from './chunk.ts';

describe('splitMessage', () => {
  it('makes the fewest pieces that are short enough, and loses nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.integer({ min: 4, max: 60 }), (text, maxBytes) => {
        const pieces = splitMessage(text, maxBytes);
        expect(pieces.join('')).toBe(text);
        for (const piece of pieces) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(maxBytes);
        // No piece has space for the first character of the next one.
        for (const [i, piece] of pieces.slice(1).entries())
          expect(Buffer.byteLength(pieces[i]! + [...piece][0]!)).toBeGreaterThan(maxBytes);
      }),
    );
  });

  it('keeps an empty line, and a character that is longer than the limit', () => {
    expect(splitMessage('', 10)).toEqual(['']);
    expect(splitMessage('🙂🙂', 1)).toEqual(['🙂', '🙂']);
  });
});
