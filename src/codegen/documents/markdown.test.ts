import { describe, expect, it } from 'vitest';
import { readMarkdown } from './markdown.ts';

describe('a markdown page', () => {
  it('has the anchors that GitHub makes of headings, and explicit ones', () => {
    const { anchors } = readMarkdown(
      '# The `query` — *plan*\n## 4.3 Vector search\n## Same\n## Same\n| <a id="d-85"></a>D-85 | text |\n### A ' +
        '[link](x.md) in it_too\n',
    );
    expect([...anchors]).toEqual(['the-query--plan', '43-vector-search', 'same', 'same-1', 'd-85', 'a-link-in-it_too']);
  });

  it('has sections by the numbers of headings, up to the next number', () => {
    const { sections } = readMarkdown(
      '# Title\n## 4. Endpoints\nfirst\n#### Documents\nsecond\n### 4.10 Spelling\nthird\n',
    );
    expect(sections).toEqual([{ number: '4', text: '## 4. Endpoints\nfirst\n#### Documents\nsecond\n' }, {
      number: '4.10',
      text: '### 4.10 Spelling\nthird\n\n',
    }]);
  });

  it('has inline links, images and references, each with its line', () => {
    const { links } = readMarkdown('see [a](a.md) and ![b](<b.svg> "B")\n\n[c]: c.md#there\n');
    expect(links).toEqual([{ target: 'a.md', line: 1 }, { target: 'b.svg', line: 1 }, {
      target: 'c.md#there',
      line: 3,
    }]);
  });

  it('has neither links nor headings of code', () => {
    const { links, anchors } = readMarkdown(
      '`[a](a.md)` and ``[b](b.md) ` ``\n```sh\n# comment\n[c](c.md)\n~~~\n```\n# After\n',
    );
    expect(links).toEqual([]);
    expect([...anchors]).toEqual(['after']);
  });
});
