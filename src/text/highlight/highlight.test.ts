import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyzerFor } from '../languages/index.ts';
import { formsOf, tokenize } from '../tokenize.ts';
import { closeTag, highlight, type HighlightOptions } from './index.ts';

/** Matches the forms of a text; each form is its own term. */
const matching = (words: string): (form: string) => string | undefined => {
  const wanted = new Set(formsOf(words));
  return (form) => (wanted.has(form) ? form : undefined);
};
const fragments = (text: string, words: string, options: Partial<HighlightOptions> = {}): string[] =>
  highlight(text, { match: matching(words), ...options }).map(({ fragment }) => fragment);

const filler = (count: number): string => Array.from({ length: count }, (_, i) => `word${i}`).join(' ');

describe('closeTag (decision D-89)', () => {
  it.each([['<mark>', '</mark>'], ['<em class="hit">', '</em>'], ['<b><i>', '</i></b>'], ['<my-hit/>', '</my-hit>'], [
    '[hl]',
    '[/hl]',
  ], ['[color=red]', '[/color]'], ['**', '**'], ['{{', '}}'], ['((<', '>))'], ['*_', '_*'], ['«', '»'], ['', ''], ['<',
    '>'], ['🚀!', '!🚀']])('closes %j with %j', (open, close) => expect(closeTag(open)).toBe(close));
});

describe('highlight', () => {
  it('shows a short text whole, with its punctuation', () => {
    expect(highlight('\n# The *quick* fox.\n', { match: matching('quick fox') })).toEqual([{
      fragment: '# The *<mark>quick</mark>* <mark>fox</mark>.',
      matchedTerms: ['quick', 'fox'],
      startOffset: 1,
      endOffset: 19,
      startLine: 2,
      endLine: 2,
    }]);
  });

  it('cuts at words and marks the cuts', () => {
    const text = `${filler(50)} needle ${filler(50)}`;
    const [found] = highlight(text, { match: matching('needle'), fragmentSize: 40 });
    expect(found?.fragment).toBe('…word48 word49 <mark>needle</mark> word0 word1 word2…');
    expect(found!.endOffset - found!.startOffset).toBeLessThanOrEqual(40);
    expect(fragments(`needle ${filler(9)}`, 'needle', { fragmentSize: 20 })).toEqual([
      '<mark>needle</mark> word0 word1…',
    ]);
    expect(fragments(`${filler(9)} (needle)!`, 'needle', { fragmentSize: 21 })).toEqual([
      '…word7 word8 (<mark>needle</mark>)!',
    ]);
  });

  it('keeps what has the most terms, then the most hits, in the order of the document', () => {
    const gap = filler(30);
    const text = ['alpha alpha', gap, 'alpha', gap, 'alpha beta', gap, 'beta beta beta', gap].join('\n');
    const found = highlight(text, { match: matching('alpha beta'), maxHighlights: 2, fragmentSize: 30 });
    expect(found.map(({ matchedTerms }) => matchedTerms)).toEqual([['alpha', 'beta'], ['beta']]);
    expect(found.map(({ startLine, endLine }) => [startLine, endLine])).toEqual([[4, 6], [6, 8]]);
    expect(highlight(text, { match: matching('alpha beta'), fragmentSize: 30, maxHighlights: 9 })).toHaveLength(4);
  });

  it('numbers lines from 1, the last inclusive', () => {
    const text = 'one\ntwo\r\nthree needle\nfour\n\nfive needle\n';
    expect(highlight(text, { match: matching('needle') })).toMatchObject([{
      startLine: 1,
      endLine: 6,
      startOffset: 0,
    }]);
    expect(highlight(text, { match: matching('needle'), fragmentSize: 12 })).toMatchObject([{
      startLine: 3,
      endLine: 3,
    }, { startLine: 6, endLine: 6 }]);
  });

  it('counts offsets in bytes of UTF-8', () => {
    const text = 'Größe: 日本語の検索エンジン 🚀 und Straße';
    const [found] = highlight(text, { match: matching('検索 STRASSE'), highlightTag: '[', fragmentSize: 1000 });
    expect(found).toMatchObject({
      fragment: 'Größe: 日本語の[検索]エンジン 🚀 und [Straße]',
      startOffset: 0,
      endOffset: Buffer.byteLength(text),
    });
    const small = highlight(text, { match: matching('検索'), highlightTag: '**', fragmentSize: 10 });
    expect(small).toMatchObject([{ fragment: '…の**検索**…', startOffset: 18, endOffset: 27 }]);
  });

  it('asks once for each form, so that stems match', () => {
    const analyzer = analyzerFor('en', { stemming: true, stopWords: 'default' });
    const asked: string[] = [];
    const match = (form: string): string | undefined => {
      asked.push(form);
      return analyzer.term(form) === 'connect' ? 'connect' : undefined;
    };
    const [found] = highlight('Connections, connected; a connection and a connected one', { match });
    expect(found).toMatchObject({ matchedTerms: ['connect'] });
    expect(found!.fragment.match(/<mark>/g)).toHaveLength(4);
    expect(asked).toEqual([...new Set(asked)]);
  });

  it('tags an identifier once where the tokeniser of code gives its parts too', () => {
    const tokens = (): { start: number; end: number;
      form: string }[] => [{ start: 4, end: 11, form: 'fooBar' }, { start: 4, end: 7, form: 'foo' }, {
      start: 7,
      end: 10,
      form: 'bar',
    }];
    expect(fragments('let fooBars;', 'bar', { tokens })).toEqual(['let foo<mark>Bar</mark>s;']);
    expect(highlight('let fooBars;', { match: (form) => form, tokens, fragmentSize: 1 })).toMatchObject([{
      fragment: '…<mark>fooBars</mark>…',
    }]);
  });

  it('returns nothing for no match, no text or no room', () => {
    expect([fragments('some text', 'other'), fragments('', 'x'), fragments('a', 'a', { maxHighlights: 0 })]).toEqual([
      [],
      [],
      [],
    ]);
    expect(fragments('a longword b', 'longword', { fragmentSize: 0 })).toEqual(['…<mark>longword</mark>…']);
  });

  const anyText = fc.array(
    fc.oneof(fc.string({ unit: 'binary', maxLength: 6 }),
      fc.constantFrom('alpha', 'beta', ' ', '\n', '\r\n', 'é', 'e\u0301', '日本語', 'ไทย', '🚀', '. ', '"', 'word',
        '\ud800')),
    { maxLength: 60 },
  ).map((parts) => parts.join('').replaceAll(/[…\u0001\u0002]/g, '').toWellFormed());

  it('without its tags and ellipses is the slice of the bytes, cut at characters, within its size', () => {
    fc.assert(fc.property(anyText, fc.nat(60), fc.integer({ min: 1, max: 5 }), (text, fragmentSize, maxHighlights) => {
      const bytes = Buffer.from(text);
      const tokens = tokenize(text);
      const found = highlight(text, {
        match: matching('alpha beta 日本語 é'),
        highlightTag: '\u0001\u0002',
        fragmentSize,
        maxHighlights,
      });
      expect(found.length).toBeLessThanOrEqual(maxHighlights);
      let before = 0;
      for (const { fragment, startOffset, endOffset, startLine, endLine, matchedTerms } of found) {
        expect(startOffset).toBeGreaterThanOrEqual(before);
        expect(fragment.replaceAll(/[\u0001\u0002…]/g, '')).toBe(bytes.toString('utf8', startOffset, endOffset));
        expect([startOffset, endOffset].every((at) => at === bytes.length || (bytes[at]! & 0xc0) !== 0x80)).toBe(true);
        expect([startLine, endLine]).toEqual(
          [startOffset, endOffset - 1].map((at) => bytes.subarray(0, at).filter((byte) => byte === 10).length + 1),
        );
        const tagged = [...fragment.matchAll(/\u0001\u0002(.*?)\u0002\u0001/gsu)].map(([, hit]) => hit!);
        expect(tagged.length).toBeGreaterThan(0);
        expect(new Set(tagged.flatMap(formsOf))).toEqual(new Set(matchedTerms));
        const words = tokens.filter(({ start, end }) => start >= startOffset && end <= endOffset);
        expect(words.length > 1 && endOffset - startOffset > fragmentSize).toBe(false);
        before = endOffset;
      }
    }), { numRuns: 500 });
  });

  it('takes time in proportion to the text, however many hits there are', () => {
    const text = 'needle hay '.repeat(20_000);
    for (const fragmentSize of [0, 150, 1e9]) {
      expect(highlight(text, { match: matching('needle'), fragmentSize, maxHighlights: 1e9 }).length).toBeGreaterThan(
        0,
      );
    }
  });
});
