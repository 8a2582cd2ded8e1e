import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { siteOf } from '../site.ts';
import { wikitextToMarkdown } from './index.ts';

const site = siteOf([['Datei', 6], ['Kategorie', 14]]);
const read = (wikitext: string, title = 'Page') => wikitextToMarkdown(wikitext, title, site);
const md = (wikitext: string): string => read(wikitext).contentMd;

describe('wikitext as markdown', () => {
  it.each([['headings', "== A ==\n===B''x''===\n= C =\n== open", '## A\n\n### B*x*\n\n# C\n\n== open'], ['emphasis',
    "'''b''' ''i'' '''''both''''' ''' spaced '''end", '**b** *i* ***both***  **spaced** end'], [
    'emphasis of nothing and without an end',
    "<b></b>x<i> </i> ''open\nnext",
    'x  *open*\nnext',
  ], ['an apostrophe before italics', "l'''Iliade'' et l''''Odyssée'''", "l'*Iliade* et l'**Odyssée**"], ['lists',
    '* a\n** b\n*# c\n*# d\n* e\n# f\n#* g', '- a\n  - b\n  1. c\n  2. d\n- e\n1. f\n   - g'], ['definitions',
    '; Term : meaning\n: more\n; [[x:y|Other]]\n: last',
    '- **Term**\n  - meaning\n  - more\n- **[Other](x:y)**\n  - last'], ['indented lines',
    ': only\n\n: set\n:: a\n::: b', 'only\n\n- set\n  - a\n    - b'], ['links',
    '[[A b]] [[A b|c]]s [[#S T|here]] [[A (x)|]] [[:Kategorie:K]] [[User:X]]',
    '[A b](A_b) [cs](A_b) [here](#S_T) [A](A_%28x%29) [Kategorie:K](Kategorie:K) [User:X](User:X)'], [
    'a link to the page itself',
    '[[Page]]',
    'Page',
  ], ['links outside', "[https://e.org/a_b_(c) the ''text''] [http://e.org] https://e.org/x_y_z. [mailto:a@b.c mail]",
    '[the *text*](https://e.org/a_b_%28c%29) <http://e.org> https://e.org/x_y_z. [mail](mailto:a@b.c)'], [
    'a link within a link outside',
    '[https://e.org the [[A|a]] b]',
    '[the a b](https://e.org)',
  ], ['categories and other languages', 'x\n[[Kategorie:A|sort]]\n[[category:B c]]\n[[de:Seite]]', 'x'], ['images',
    '[[Datei:A b.jpg|thumb|right|200px|alt=White|The [[x|caption]] here]]\ntext [[File:i.png|20px]]',
    '![White](File:A_b.jpg) The [caption](x) here\n\ntext ![i.png](File:i.png)'], ['a caption with a table',
    '[[File:a.jpg|thumb|Before [[x]]\n{|\n!A!!B\n|-\n|1||2\n|}\nand after.]]\nnext\n* [[File:b.jpg|thumb|b\n{|\n|c||d\n|}]]\n* e',
    '![a.jpg](File:a.jpg) Before [x](x)  and after.\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\nnext\n\n- ![b.jpg](File:b.jpg) b\n- e\n\n' +
    '|  |  |\n| --- | --- |\n| c | d |'], ['readings',
    '<ruby>東<rp>(</rp><rt>とう</rt><rp>)</rp>京<rt>きょう</rt></ruby>に{{ruby|住|す}}む <ruby><rb>a</rb></ruby>',
    '東京(とうきょう)に住(す)む a'], ['a caption over several lines', '[[File:a.jpg|thumb|one\ntwo [[x]]]]\nafter',
    '![a.jpg](File:a.jpg) one two [x](x)\n\nafter'], ['galleries', "<gallery>\nFile:A.jpg|one ''x''\nB.jpg\n</gallery>",
    '- ![A.jpg](File:A.jpg) one *x*\n- ![B.jpg](File:B.jpg)'], [
    'references',
    'a<ref name="n">{{cite web|title=T|url=https://e.org}}</ref> b<ref name=n /> c<ref group=g name=n>other</ref> ' +
    'd<ref name=none />\n<references />',
    'a[^1] b[^1] c[^2] d\n\n[^1]: [*T*](https://e.org).\n[^2]: other',
  ], ['references that are defined elsewhere',
    'a<ref name="x"/>\n<references>\n<ref name="x">late</ref>\n</references>', 'a[^1]\n\n[^1]: late'], ['nowiki',
    "<nowiki>[[x]] ''y'' {{z}} *</nowiki> <nowiki/>a", "[[x]] ''y'' {{z}} \\* a"], ['code',
    'a <code>x|y `z` {{=}}</code>\n<syntaxhighlight lang="C++">\nint a[1]; // [[x]]\n</syntaxhighlight>\n<pre>a ' +
    '```b</pre>', 'a ``x|y `z` =``\n\n```c++\nint a[1]; // [[x]]\n```\n\n````\na ```b\n````'], ['formulas',
    '<math>a_1 < \\sqrt{b}</math>\n<math display="block">x</math>', '$a_1 < \\sqrt{b}$\n\n$$\nx\n$$'], ['comments',
    'a<!-- x -->b\n<!-- line -->\nc <!-- open', 'ab\nc \\<!-- open'], ['HTML',
    '<b>b</b> <i>i</i> H<sub>2</sub>O <span style="x">s</span> a<br/>b <s>no</s>',
    '**b** *i* H<sub>2</sub>O s a\\\nb ~~no~~'], ['HTML lists and tables',
    '<ul><li>a</li><li>b</li></ul><table><tr><th>h</th><th>i</th></tr><tr><td>1</td><td ' +
    'colspan="2">2</td></tr></table>', '- a\n\n- b\n\n| h | i |  |\n| --- | --- | --- |\n| 1 | 2 |  |'], ['entities',
    '&lt;b&gt; AT&amp;T &amp;lt; &eacute; &#x41; &nope; &copy', '\\<b> AT&T \\&lt; é A \\&nope; &copy'], [
    'what markdown would read otherwise',
    '1. no\n\n# of\n\n+ plus\n\na*b_c_d _e_ `f` [x](y) \\* ~~z~~',
    '1\\. no\n\n1. of\n\n\\+ plus\n\na\\*b_c_d \\_e\\_ \\`f\\` [x\\](y) \\\\\\* \\~\\~z\\~\\~',
  ], ['rules and magic words', 'a\n----\n__NOTOC__b __x__', 'a\n\n---\n\nb \\_\\_x\\_\\_'], ['lines that are set in',
    "x\n\n a  b\n c ''d''\n\n one", 'x\n\n```\na  b\nc d\n```\n\none'], ['quotations',
    '<blockquote>a\n\nb</blockquote>{{quote|c|d}}', '> a\n>\n> b\n\n> c\n>\n> — d']])('has %s',
      (_, wikitext, markdown) => {
        expect(md(wikitext)).toBe(markdown);
      });

  it.each([['a header, a caption and spans',
    '{| class="x"\n|+ Cap\n! A !! B\n|-\n| rowspan="2" | 1 || [[x|y]] | z\n|-\n| colspan=2 | 3\n|}',
    'Cap\n\n| A | B |  |\n| --- | --- | --- |\n| 1 | [y](x) \\| z |  |\n|  | 3 |  |'], ['no header',
    '{|\n| a || b\n|}after', '|  |  |\n| --- | --- |\n| a | b |\n\nafter'], ['a list, a break and code in a cell',
    '{|\n! h\n! i\n|-\n|\n* a\n* b<br>c\n| <code>x|y</code>\n|}',
    '| h | i |\n| --- | --- |\n| a<br>b<br>c | `x\\|y` |'], ['another table in a cell',
    '{|\n| a\n|\n{|\n| b || c\n|}\n|}', '|  |  |\n| --- | --- |\n| a | b / c |'], ['one column',
    '{|\n| a\n* b\n|-\n| c\n|}', 'a\n\n- b\n\nc'], ['no end', '{|\n| a || b\n== H ==\nx',
    '|  |  |\n| --- | --- |\n| a | b |\n\n## H\n\nx'], ['text that belongs to no cell', '{|\nlost\n|-\n| a || b\n|}',
    'lost\n\n|  |  |\n| --- | --- |\n| a | b |']])('has tables with %s', (_, wikitext, markdown) => {
      expect(md(wikitext)).toBe(markdown);
    });

  it.each([["{{lang|fr|''oui''}} {{lang-grc|ὁ}} {{transl|ar|x}}", '*oui* ὁ x'], [
    '{{convert|45|m|ft|abbr=on}} {{convert|10|to|20|km2}} {{convert|1|-|2|C}}',
    '45 m (148 ft) 10 to 20 square kilometres (3.9 to 7.7 sq mi) 1–2 °C (34–36 °F)',
  ], ['{{Main|A b|C}}\nx', '*Main article: [A b](A_b), [C](C)*\n\nx'], [
    '{{birth date|1999|1|2|df=y}} {{start date|2001}} {{circa|1500}}',
    '1999-01-02 2001 c. 1500',
  ], ['{{nowrap|a {{abbr|b|c}}}}{{citation needed|date=x}}{{!}}', 'a b|'], [
    '{{cite book|last=A|first=B|title=T|year=1|isbn=2|publisher=P}}',
    'A, B (1). *T*. P. ISBN 2.',
  ], ['{{Unknown|x=1}}a{{Other|short}} {{Frame|This is a whole sentence, which is worth keeping.}}',
    'a This is a whole sentence, which is worth keeping.'], [
    '{{#if:x|yes|no}} {{#if:|yes|no}} {{#switch:b|a=1|b|c=2|3}} {{lc:AB}} {{PAGENAME}} {{DEFAULTSORT:x}}',
    'yes no 2 ab Page',
  ], ['{{{1|default}}} {{{2}}} {{ubl|a|b}}', 'default\n\n- a\n- b'], [
    '{{efn|note}}{{sfn|Smith|1999|p=3}}{{#tag:ref|tagged|name=t}}',
    '[^1][^2][^3]\n\n[^1]: note\n[^2]: Smith 1999, p. 3\n[^3]: tagged',
  ]])('keeps what templates say: %s', (wikitext, markdown) => {
    expect(md(wikitext)).toBe(markdown);
  });

  it('puts the fields of infoboxes aside', () => {
    const { infobox, contentMd } = read(
      '{{Infobox tower\n| Height (m) = {{convert|45|m}}<ref>r</ref>\n| empty =\n| list = ' +
        '{{ubl|a|[[b|c]]}}\n}}text{{Infobox x|height (m)=2}}',
    );
    expect([...infobox]).toEqual([['', 'tower'], ['height_m', '45 metres (148 ft)'], ['list', 'a, c']]);
    expect(contentMd).toBe('text\n\n[^1]: r');
  });

  it('leaves markup without its other half as text', () => {
    expect(md('a {{b|c [[d]] e')).toBe('a {{b|c [d](d) e');
    expect(md('a [[b c')).toBe('a [[b c');
    expect(md('a }} ]] |} b <ref>c')).toBe('a }} ]] |} b c');
    expect(md('{{x|<ref>{{y}}</ref> [[z}} after')).toBe('after');
  });
});

describe('wikitext that means harm', () => {
  const piece = fc.constantFrom('{{', '}}', '{{{', '}}}', '[[', ']]', '|', '=', '\n', "''", "'''", '{|', '|}', '|-',
    '||', '!!', '*', '#', ':', ';', '<ref>', '</ref>', '<ref name=a/>', '<!--', '-->', '<nowiki>', '</nowiki>', '<br>',
    '<blockquote>', '</blockquote>', '<table>', '<td>', '</table>', 'File:', 'http://a', '[http://b', ']', '&amp;',
    '\u0001', '\u0002', '\u00010\u0002', '\u0003', ' ', 'word', '__TOC__', '~', '\\', '`', 'Infobox a', 'convert',
    'quote', '#switch:', '==');

  it('never fails and leaves no marks', () => {
    fc.assert(fc.property(fc.array(piece, { maxLength: 60, size: 'max' }), (pieces) => {
      const { contentMd, infobox } = read(pieces.join(''));
      expect(/[\u0000-\u0008]/.test(contentMd + [...infobox.values()].join(''))).toBe(false);
    }), { numRuns: 1500 });
  });

  it('keeps words outside of templates, links and tags', () => {
    const harmless = fc.constantFrom('\n', "''", "'''", '*', '#', ':', ';', ' ', '==', '&', '~', '_', '`', '\\', '}}',
      ']]', '|}', '{', '[', '<', '>', '----');
    fc.assert(
      fc.property(fc.array(fc.tuple(harmless, fc.integer({ min: 1000, max: 9999 })), { maxLength: 40 }), (pieces) => {
        const found = md(pieces.map(([sign, number]) => `${sign}w${number}`).join(''));
        for (const [, number] of pieces) expect(found).toContain(`w${number}`);
      }),
      { numRuns: 500 },
    );
  });

  // Each would take minutes if its time grew with the square of its length.
  it.each([['{{', 200_000], ['[[', 200_000], ['{{{', 100_000], ['}}', 200_000], ['{|\n', 60_000], ['<!--', 100_000], [
    '<ref>',
    60_000,
  ], ['<nowiki>', 60_000], ["'''x'' ", 40_000], ['*', 200_000], ['=', 200_000], ['[http://a ', 40_000], ['<blockquote>',
    30_000], ['{{a|', 50_000], ['|', 200_000], ["a''b", 60_000], ['&', 200_000], ['[[a|', 50_000], ['<b><i>', 40_000], [
    ' \n',
    100_000,
  ], ['_', 200_000], ['\\', 100_000], ['<br>', 50_000], [';a:', 60_000], ['||', 100_000]])(
    'takes no longer than its length: %s',
    (text, count) => {
      md(text.repeat(count));
      md(`{|\n|${text.repeat(count >> 2)}`);
    },
  );
});
