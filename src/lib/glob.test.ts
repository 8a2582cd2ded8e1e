import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGlob } from './glob.ts';

/** The meaning of the pattern, evaluated by trying every way. */
function matches(pattern: readonly string[], text: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return text.length === 0;
  if (pattern.every((each) => each === '?') && text.length < pattern.length) return true;
  if (first === '*') return matches(rest, text) || (text.length > 0 && matches(pattern, text.slice(1)));
  return text.length > 0 && (first === '?' || first === text[0]) && matches(rest, text.slice(1));
}

describe('a pattern with wildcards', () => {
  it('matches what every way to try it out matches', () => {
    const pattern = fc.array(fc.constantFrom('a', 'b', '*', '?', '😀'), { maxLength: 7 });
    const text = fc.array(fc.constantFrom('a', 'b', '😀', '*', '\ud800'), { maxLength: 8 });
    fc.assert(fc.property(pattern, text, (wanted, given) => {
      expect(createGlob(wanted.join(''))(given.join(''))).toBe(matches(wanted, given));
    }), { numRuns: 2000 });
  });

  it('ends where trying out every way would not', () => {
    expect(createGlob(`${'a*'.repeat(40)}b`)('a'.repeat(5000))).toBe(false);
    expect(createGlob(`${'*a'.repeat(40)}*`)('a'.repeat(5000))).toBe(true);
  });
});
