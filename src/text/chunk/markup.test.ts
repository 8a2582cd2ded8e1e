import { describe, expect, it } from 'vitest';
import { withoutMarkup } from './markup.ts';

/** Without the spaces that stand for markup. */
const wordsOf = (text: string) => withoutMarkup(text).split(/\s+/).filter((word) => word !== '').join(' ');

describe('withoutMarkup', () => {
  it.each([['plain text, which stays', 'A < b, 3 > 2 & {c} (d): x@y.z', 'A < b, 3 > 2 & {c} (d): x@y.z'], [
    'headings and quotations',
    '# One\n\n> ## Two\n> three #4\n##no',
    'One Two three #4 ##no',
  ], ['emphasis', 'a **bold** and _slanted_ *word*', 'a bold and slanted word'], ['links and images',
    '![a cat](/cat.png "A (nice) cat") and [the page](/en/x_(y)) [ref][1]', 'a cat and the page ref 1'], [
    'an unclosed link',
    '[a](b\nc)',
    'a (b c)',
  ], ['fenced code, but not code within a line', 'a\n```js\nlet b = `c`;\n``` d\n````\ne `<f>` ``g ` h``',
    'a e <f> g ` h'], ['tags, comments and entities', '<p class="x">a<br/>b</p>&nbsp;&#8211;<!-- c\n<d> -->e <!-- f',
    'a b e <!-- f'], ['URLs', 'see https://example.com/a?b=c#d, <http://x.y> or http:', 'see or http:'], [
    'macros except their last quoted text',
    '{{Compat}} {{jsxref("Array.map()", "map")}} {{name}',
    'map {{name}',
  ], ['tables', '| a | b |\n|---|---|\n| c | d |', 'a b --- --- c d']])('removes markup: %s', (_what, text, words) => {
    expect(wordsOf(text)).toBe(words);
  });

  it('leaves every byte and line in its place', () => {
    const text = '# Ä **ö**\n\n```\nü\n```\n[😀](x) z';
    const plain = Buffer.from(withoutMarkup(text));
    expect(plain).toHaveLength(Buffer.byteLength(text));
    expect(plain.indexOf('z')).toBe(Buffer.from(text).indexOf('z'));
    expect(plain.toString().split('\n')).toHaveLength(6);
  });
});
