import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenizeCode } from '../code/index.ts';
import { formsOf } from '../tokenize.ts';
import { highlight, type HighlightOptions } from './index.ts';
import { type ByteRange, markupOf, type Ranges } from './markup.ts';
import { linesOf } from './scanned-text.ts';

const markup = (bytes: Buffer): { opaque: ByteRange[]; codeSpans: ByteRange[] } => {
  const { opaque, codeSpans } = markupOf(bytes.toString('latin1'), linesOf(bytes));
  return { opaque: rangesOf(opaque), codeSpans: rangesOf(codeSpans) };
};
const rangesOf = (places: Ranges): ByteRange[] =>
  Array.from({ length: places.length / 2 }, (_, i) => ({ start: places[2 * i]!, end: places[2 * i + 1]! }));

/** Highlights the words `fox` and `quick`, and the given phrases, in Markdown. */
const shown = (text: string, options: Partial<HighlightOptions> = {}): string[] => {
  const wanted = new Set(['fox', 'quick']);
  return highlight(text, {
    match: (form) => (wanted.has(form) ? form : undefined),
    markdown: true,
    highlightTag: '[',
    fragmentSize: 1000,
    ...options,
  }).map(({ fragment }) => fragment);
};
const phrase = (text: string, words: string, options: Partial<HighlightOptions> = {}): string | undefined =>
  shown(text, { match: () => undefined, phrases: [{ words: formsOf(words), labels: formsOf(words) }], ...options })[0];

describe('tags in Markdown', () => {
  it.each([['the address of a link', 'a [quick fox](http://quick.org/fox) ran',
    'a [[quick] [fox]](http://quick.org/fox) ran'], ['the title of a link', 'a [quick](/fox "the fox") fox',
    'a [[quick]](/fox "the fox") [fox]'], ['an address with parentheses', '[fox](/a_(fox)_b) fox',
    '[[fox]](/a_(fox)_b) [fox]'], ['an address between signs', '[fox](<a fox b>) fox', '[[fox]](<a fox b>) [fox]'], [
    'the address of an image',
    '![fox](fox.png) fox',
    '![[fox]](fox.png) [fox]',
  ], ['the label of a link', 'see [quick][the fox] fox', 'see [[quick]][the fox] [fox]'], ['a definition',
    'fox\n\n[fox]: http://fox.org "fox"', '[fox]\n\n[fox]: http://fox.org "fox"'], ['an automatic link',
    'fox <http://fox.org> <fox@fox.org>', '[fox] <http://fox.org> <fox@fox.org>'], ['an address as it stands',
    'fox https://fox.org/fox?q=fox www.fox.org', '[fox] https://fox.org/fox?q=fox www.fox.org'], [
    'an HTML tag and its attributes',
    '<fox class="fox" title=\'a > fox\'>fox</fox>',
    '<fox class="fox" title=\'a > fox\'>[fox]</fox>',
  ], ['a tag over several lines', 'fox <img\nalt="fox"\n/> fox', '[fox] <img\nalt="fox"\n/> [fox]'], ['a comment',
    'fox <!-- a fox -->', '[fox] <!-- a fox -->'], ['an entity', 'a &fox; &amp; fox', 'a &fox; &amp; [fox]'], [
    'the first line of a fence',
    'fox\n```fox quick\nfox\n```\nfox',
    '[fox]\n```fox quick\n[fox]\n```\n[fox]',
  ], ['the first line of a fence in a list', '- ~~~ fox\n  fox\n  ~~~\n\nfox', '- ~~~ fox\n  [fox]\n  ~~~\n\n[fox]']])(
    'do not stand in %s',
    (_, text, expected) => expect(shown(text)).toEqual([expected]),
  );

  it.each([['a `fox` ran', 'a [`fox`] ran'], ['a ``quick `fox` `` ran', 'a [``quick `fox` ``] ran'], [
    'a `quick\nfox` fox',
    'a [`quick\nfox`] [fox]',
  ], ['a ` fox ran', 'a ` [fox] ran'], ['a \\`fox\\` ran', 'a \\`[fox]\\` ran'], ['`a\n\nfox`', '`a\n\n[fox]`'], [
    '`[a](fox`) fox',
    '[`[a](fox`]) [fox]',
  ]])('stand around a code span: %j', (text, expected) => expect(shown(text)).toEqual([expected]));

  it.each([['text in brackets (a fox)', 'text in brackets (a [fox])'], ['[a](no link but a fox) fox',
    '[a](no link but a [fox]) [fox]'], ['1 < 2 fox > 1', '1 < 2 [fox] > 1'], ['[^1]: a fox', '[^1]: a [fox]'], [
    'fox: quick',
    '[fox]: [quick]',
  ], ['# The *quick* fox', '# The *[quick]* [fox]']])('stand in what only looks like markup: %j',
    (text, expected) => expect(shown(text)).toEqual([expected]));

  it('are left out where a text matches only where none may stand', () => {
    const [found] = highlight('see <http://fox.org> now', {
      match: (form) => (form === 'fox.org' || form === 'fox' ? 'fox' : undefined),
      markdown: true,
    });
    expect(found).toMatchObject({ fragment: 'see <http://fox.org> now', matchedTerms: ['fox'], startOffset: 0 });
    expect(shown(`\`${'word '.repeat(50)}fox\``, { fragmentSize: 20 })).toEqual([expect.not.stringContaining('[')]);
  });

  it('stand anywhere in a text that is no Markdown', () => {
    expect(shown('`fox` [a](fox)', { markdown: false })).toEqual(['`[fox]` [a]([fox])']);
  });

  it('take time in proportion to the text', () => {
    for (const part of ['<a "', '](', '](a', '`', '``` `', '<', '&a', '][', 'http://', '<!--', '(', '\\', '[a]:',
      '> - ```\n'])
    {
      const text = part.repeat(300_000 / part.length);
      expect(markup(Buffer.from(text)).codeSpans.length).toBeLessThan(text.length);
    }
  }, 60_000);

  it('never change the text, whatever it is', () => {
    const anyText = fc.array(
      fc.constantFrom('fox', 'quick', ' ', '\n', '\n\n', '`', '``', '```', '](', ')', '[', '<', '>', '<a href="', '"',
        '&amp;', 'http://', '\\', '*', '日本', 'é', '~~~', '- '),
      { maxLength: 40 },
    ).map((parts) => parts.join(''));
    fc.assert(fc.property(anyText, fc.integer({ min: 10, max: 80 }), (text, fragmentSize) => {
      const bytes = Buffer.from(text);
      let before = 0;
      const options: HighlightOptions = {
        match: (form) => (form === 'fox' ? form : undefined),
        phrases: [{ words: ['quick', 'fox'], labels: ['quick', 'fox'] }],
        markdown: true,
        highlightTag: '\u0001\u0002',
        fragmentSize,
      };
      const found = highlight(text, options);
      // The markup of a buffer is remembered when the same buffer is used again.
      for (let again = 0; again < 3; again++) expect(highlight(bytes, options)).toEqual(found);
      expect(found.length > 0).toBe(formsOf(text).includes('fox'));
      const { opaque, codeSpans } = markup(bytes);
      for (const { fragment, startOffset, endOffset } of found) {
        expect(startOffset).toBeGreaterThanOrEqual(before);
        before = endOffset;
        expect(fragment.replaceAll(/[\u0001\u0002…]/g, '')).toBe(bytes.toString('utf8', startOffset, endOffset));
        for (const tag of tagOffsets(fragment)) {
          const inside = [...opaque, ...codeSpans].filter(({ start, end }) =>
            startOffset + tag > start && startOffset + tag < end
          );
          expect(inside, JSON.stringify(fragment)).toEqual([]);
        }
      }
    }), { numRuns: 2000 });
  });
});

/** The positions of the tags in a fragment, in bytes of its text. */
function tagOffsets(fragment: string): number[] {
  const offsets: number[] = [];
  let at = 0;
  for (const piece of fragment.replaceAll('…', '').split(/(\u0001\u0002|\u0002\u0001)/)) {
    if (piece.startsWith('\u0001') || piece.startsWith('\u0002')) offsets.push(at);
    else at += Buffer.byteLength(piece);
  }
  return offsets;
}

describe('a phrase', () => {
  it.each([['The quick, brown fox.', 'quick brown', 'The [quick, brown] fox.'], ['quick\nfox', 'quick fox',
    '[quick\nfox]'], ['quick quick fox fox quick', 'quick fox', 'quick [quick fox] fox quick'], ['quick fox quick fox',
    'quick fox', '[quick fox] [quick fox]'], ['a quick fox a quick', 'quick fox a quick', 'a [quick fox a quick]'], [
    'use the `fox` now',
    'the fox now',
    'use [the `fox` now]',
  ], ['max_retry', 'max retry', '[max_retry]']])('has one tag over all of it: %j',
    (text, words, expected) => expect(phrase(text, words)).toBe(expected));

  it.each([['a **quick** fox', 'a **[quick]** [fox]'], ['a [quick](x-y) fox, a [quick fox](x)',
    'a [quick](x-y) fox, a [[quick fox]](x)'], ['quick\n\nfox', '[quick]\n\n[fox]'], ['- quick\n- fox',
    '- [quick]\n- [fox]'], ['a [the quick] fox', 'a [the [quick]] [fox]']])(
      'has one on each word where one tag would not nest: %j',
      (text, expected) => expect(phrase(text, 'quick fox')).toBe(expected),
    );

  it('shares a tag with words and phrases that overlap it', () => {
    const both = {
      phrases: [{ words: ['quick', 'brown'], labels: ['quick', 'brown'] }, {
        words: ['brown', 'fox'],
        labels: ['brown', 'fox'],
      }],
    };
    const [found] = highlight('the quick brown fox', { match: (form) => (form === 'fox' ? form : undefined), ...both });
    expect(found).toMatchObject({
      fragment: 'the <mark>quick brown fox</mark>',
      matchedTerms: ['quick', 'brown', 'fox'],
    });
  });

  it('of identifiers is one over them', () => {
    expect(shown('let load_user = getUser()', {
      match: () => undefined,
      phrases: [{ words: ['load_user', 'user'], labels: ['x'] }],
      tokens: tokenizeCode,
      markdown: false,
    })).toEqual(['let [load_user = getUser]()']);
  });

  it('is compared by its terms', () => {
    expect(phrase('running foxes', 'run fox', { termOf: (form) => form.replace(/ning$|es$/, '') })).toBe(
      '[running foxes]',
    );
  });
});

describe('escaping', () => {
  it('leaves no markup of the text', () => {
    const text = `<img src=x onerror="alert('fox')"> fox & co`;
    expect(shown(text, { escape: 'html', highlightTag: '<mark>' })).toEqual([
      '&lt;img src=x onerror=&quot;alert(&#39;fox&#39;)&quot;&gt; <mark>fox</mark> &amp; co',
    ]);
    expect(highlight(text, { match: () => 'x', escape: 'html', markdown: true })[0]).toMatchObject({
      startOffset: 0,
      endOffset: Buffer.byteLength(text),
    });
  });
});
