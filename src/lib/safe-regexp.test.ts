import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSafeRegExp, MAX_PATTERN_LENGTH } from './safe-regexp.ts';

/** Random patterns over a small alphabet, so that matches are frequent. */
const { pattern } = fc.letrec<{ pattern: string; sequence: string; part: string; atom: string }>((tie) => ({
  pattern: fc.oneof({ withCrossShrink: true, maxDepth: 4 }, tie('sequence'),
    fc.array(tie('sequence'), { minLength: 2, maxLength: 3 }).map((options) => options.join('|'))),
  sequence: fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
  part: fc.tuple(tie('atom'), fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,}', '{0,2}', '*?')).map((
    [atom, quantifier],
  ) => atom + quantifier),
  atom: fc.oneof({ maxDepth: 3 },
    fc.constantFrom('a', 'b', 'é', '😀', '.', '\\w', '\\W', '\\.', '-', '[ab]', '[^a]', '[\\]é-]', '\\u{61}', '\\u0062',
      '\\ud83d\\ude00', '\\p{L}'), tie('pattern').map((inner) => `(?:${inner})`),
    tie('pattern').map((inner) => `(${inner})`), fc.constantFrom('(?:^)', '(?:$)', '(?:\\b)', '(?:\\B)')),
}));

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀', '.', '-', '\n', ']'), maxLength: 8 });

/**
 * The engine backtracks, so the patterns compared with it must not take it too long: few quantifiers and alternatives.
 */
const isHarmless = (source: string): boolean => source.length <= 80 && (source.match(/[*+?{|]/g) ?? []).length <= 6;

describe('compileSafeRegExp', () => {
  it('agrees with the engine', () => {
    fc.assert(fc.property(pattern, text, (source, subject) => {
      // The engine finds \B in the middle of a surrogate pair, where no character ends (ECMA-262, section 22.2.2).
      fc.pre(isHarmless(source) && !(source.includes('\\B') && subject.includes('😀')));
      expect(compileSafeRegExp(source).test(subject)).toBe(new RegExp(source, 'u').test(subject));
    }), { numRuns: 2000 });
  });

  it('agrees with the engine whatever it remembers of the texts before, and however often it is interrupted', () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 7 }), (source, subjects, cachedStates, slice) => {
        fc.pre(isHarmless(source) && !(source.includes('\\B') && subjects.some((subject) => subject.includes('😀'))));
        const expression = compileSafeRegExp(source, { cachedStates });
        for (const subject of subjects) {
          const search = expression.search(subject);
          let found: boolean | undefined;
          while (found === undefined) found = search.advance(slice);
          expect(found).toBe(new RegExp(source, 'u').test(subject));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('takes about one step for each character of an ordinary text, also with a large automaton', () => {
    const search = compileSafeRegExp('^[a-z]{1,400}$').search('a'.repeat(300));
    search.advance(Infinity);
    const again = compileSafeRegExp('^(?:[a-z0-9]+-)*[a-z0-9]+$').search('slug-2-'.repeat(10_000));
    again.advance(Infinity);
    expect(again.steps).toBeLessThan(2 * 70_000);
    expect(search.steps).toBeLessThan(300 * 10);
  });

  it('never takes more steps for a character than the automaton has states, up to a constant', () => {
    const search = compileSafeRegExp('(?:a|b)*a(?:a|b){200}c').search('ab'.repeat(1000));
    search.advance(Infinity);
    expect(search.steps).toBeLessThan(2000 * 4 * 1000);
  });

  it.each([['^[a-z0-9]+(-[a-z0-9]+)*$', 'a-slug-2', '-slug'], ['^https?://', 'https://example.org',
    'ftp://example.org'], ['^\\d{4}-\\d{2}(?:-\\d{2})?$', '2026-01', '2026-1'], ['^(?<major>\\d+)\\.(\\d+)$', '1.22',
    '1.'], ['draft|final', 'the final version', 'the last version'], ['^$', '', 'a'], ['\\bcat\\b', 'a cat sat',
    'concatenate'], ['^\\p{Lu}\\p{Ll}*$', 'Élan', 'élan'], ['^[\\u{1F600}-\\u{1F64F}]$', '😀', '☺'], ['^[\\]\\\\]+$',
    ']\\]', 'a'], ['^a{2,3}$', 'aaa', 'aaaa']])('%s', (source, matching, other) => {
      const expression = compileSafeRegExp(source);
      expect(expression.test(matching)).toBe(true);
      expect(expression.test(other)).toBe(false);
    });

  // Each of these occupies a backtracking matcher for longer than a test may run.
  it.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(.*a){20}$', '^(a*)*b$', 'a*a*a*a*a*a*c'])('%s ends on a hostile text',
    (source) => {
      expect(compileSafeRegExp(source).test(`${'a'.repeat(8000)}!`)).toBe(false);
    });

  it.each([['(a)\\1', 'backreferences are not supported'], ['(?<x>a)\\k<x>', 'backreferences are not supported'], [
    '(?=a)',
    'look-around and inline flags are not supported',
  ], ['(?<!a)b', 'look-around and inline flags are not supported'], ['(?i:a)',
    'look-around and inline flags are not supported'], ['(', 'Invalid regular expression'], ['a**',
    'Invalid regular expression'], ['a{1001}', 'the pattern is too large'], ['((((a{9}){9}){9}){9})',
    'the pattern is too large'], ['((((){999}){999}){999})', 'the pattern is too large'], [
    'a'.repeat(MAX_PATTERN_LENGTH + 1),
    'a pattern must have at most 1024 characters',
  ]])('refuses %s', (source, message) => {
    expect(() => compileSafeRegExp(source)).toThrow(SyntaxError);
    expect(() => compileSafeRegExp(source)).toThrow(message);
  });
});
