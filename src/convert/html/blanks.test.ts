import fc from 'fast-check';
import type { Root as Page } from 'hast';
import type { Root } from 'mdast';
import rehypeRemark from 'rehype-remark';
import { unified } from 'unified';
import { describe, expect, it } from 'vitest';
import { toMarkdown } from '../markdown.ts';
import { markdown } from '../test-fixture.ts';
import { removeBlanks } from './clean.ts';
import { parseHtml } from './parse.ts';

const converter = unified().use(rehypeRemark, { document: true }).freeze();
const printed = (page: Page) => toMarkdown(converter.runSync(page) as Root);

describe('blank elements', () => {
  it('change nothing where there are none', () => {
    const text = fc.constantFrom('a', 'b ', ' c', 'd e', '\n f');
    const inline = (tags: readonly string[]) =>
      fc.tuple(fc.constantFrom(...tags), text).map(([tag, content]) => `<${tag}>${content}</${tag}>`);
    const white = fc.constantFrom('', ' ', '\n\t', '<!-- x -->', '<br>', '<br> ');
    const phrase = fc.array(fc.oneof(text, white, inline(['b', 'i', 'code', 'span', 'small', 'a', 'del'])), {
      minLength: 1,
      maxLength: 6,
    }).map((parts) => parts.join(''));
    const block = fc.tuple(fc.constantFrom('p', 'div', 'h2', 'pre', 'blockquote', 'li'), phrase).map(([tag, content]) =>
      `<${tag}>${content}</${tag}>`
    );
    fc.assert(fc.property(fc.array(fc.oneof(block, phrase, white), { maxLength: 5 }), (parts) => {
      const html = parts.join('');
      const page = parseHtml(html);
      removeBlanks(page);
      expect(printed(page), html).toBe(printed(parseHtml(html)));
    }));
  });

  it('leave their white space, and no mark, link or quotation', async () => {
    expect(await markdown('<p>a<b> </b>b<a href="x"></a><i><b></b></i> <q></q>c <code></code></p>', 'a.html')).toBe(
      'a b c',
    );
    expect(await markdown('<pre>a<span>  </span>b\n<i> </i>c</pre>', 'a.html')).toBe('```\na  b\n c\n```');
    expect(await markdown('<p>a <img src="p.png" alt="p"> <b><img src="q.png" alt="q"></b></p>', 'a.html')).toBe(
      'a ![p](p.png) **![q](q.png)**',
    );
  });

  it('do not resolve links of a page by an address that was left in its body', async () => {
    expect(await markdown('<p>a</p><base href="b/"><p><a href="c">d</a></p>', 'a.html')).toBe('a\n\n[d](c)');
  });

  /** As long as a page that nobody thinks of as large; each took minutes or hours. */
  it.each([['empty links', '<a href="x">'], ['marks of white space', '<b> </b>'], ['comments', ' <!-- -->'], [
    'letters with comments between',
    'x<!-- -->',
  ], ['empty parameters', '<param>'], ['spans', '<span>x</span>'], ['parentheses of ruby', '<rp>x</rp>'], [
    'titles in the body',
    'x<title>x</title>',
  ], ['letters with places to break between', 'x<wbr>']])('are converted in any number: %s', async (_, piece) => {
    const last = await markdown(`${piece.repeat(300_000 / piece.length)}<p>end</p>`, 'a.html');
    expect(last).toContain('end');
  });

  it('are left out of formulas in any number', async () => {
    expect(await markdown(`a<math>${'<param>x</param>'.repeat(20_000)}</math>b`, 'a.html')).toBe('ab');
  });
});
