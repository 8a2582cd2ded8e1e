import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginningOf, bytesOf, fitting, shortened } from './fitting.ts';
import { snippetOf } from './tools/search.ts';

const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '"', '\\', 'é', '猫', '😀', '\u0001'), maxLength: 400 });

describe('the beginning of a text', () => {
  it('fits, is not empty where a character fits, and breaks no character', () => {
    fc.assert(fc.property(text, fc.integer({ min: 20, max: 600 }), (whole, bytes) => {
      const begun = beginningOf(whole, bytes);
      expect(whole.startsWith(begun)).toBe(true);
      expect(bytesOf(begun)).toBeLessThanOrEqual(bytes);
      expect(begun.isWellFormed()).toBe(true);
      expect(begun !== '' || whole === '').toBe(true);
      if (bytesOf(whole) <= bytes) expect(begun).toBe(whole);
    }));
  });

  it('ends with a line where one ends near the limit', () => {
    expect(beginningOf(`${'x'.repeat(90)}\n${'y'.repeat(90)}`, 110)).toBe(`${'x'.repeat(90)}\n`);
  });
});

describe('a list', () => {
  it('has the first items that fit, and one at least', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 50 })), fc.integer({ min: -10, max: 300 }), (items, bytes) => {
        const shown = fitting(items, bytes);
        expect(items.slice(0, shown.length)).toEqual(shown);
        expect(shown.length >= Math.min(1, items.length)).toBe(true);
        if (shown.length > 1) expect(bytesOf(shown)).toBeLessThanOrEqual(bytes + 2);
      }),
    );
  });
});

describe('a snippet', () => {
  it('has one line of at most 241 characters, whatever the passage and the words are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 2000 }), fc.array(fc.string({ minLength: 1, maxLength: 8 })),
        (passage, terms) => {
          const snippet = snippetOf(passage, terms);
          expect(snippet.length).toBeLessThanOrEqual(241);
          expect(snippet).not.toMatch(/\n/);
          expect(snippet.isWellFormed()).toBe(passage.isWellFormed() || snippet.isWellFormed());
        }),
    );
  });

  it('shows the place with most of the words', () => {
    const passage = `${'filler '.repeat(80)}apples alone ${'filler '.repeat(80)}red apples ripen ${
      'filler '.repeat(80)
    }`;
    expect(snippetOf(passage, ['red', 'aples~apples'])).toMatch(/^….*red apples ripen.*…$/);
  });

  it('is cut between characters', () => {
    expect(shortened('😀😀😀', 4)).toBe('😀…');
  });
});
