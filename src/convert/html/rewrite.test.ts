import { describe, expect, it } from 'vitest';
import { markdown } from '../test-fixture.ts';

const page = (body: string, head = '') =>
  `<!DOCTYPE html><html><head><title>T</title>${head}</head><body><main><h1>H</h1>${body}</main></body></html>`;
const body = async (html: string, head = '') => (await markdown(page(html, head), 'a.html')).replace('# H\n\n', '');

const MATH = '<math><msup><mi>e</mi><mi>x</mi></msup><mo>=</mo><mn>1</mn></math>';

describe('what markdown writes in another way', () => {
  it.each([
    ['MathML', `a ${MATH} b`, 'a $e^x=1$ b'],
    ['MathML as a block', `<p>a</p>${MATH.replace('<math>', '<math display="block">')}`, 'a\n\n$$\ne^x=1\n$$'],
    ['KaTeX',
      '<p>a <span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation ' +
      'encoding="application/x-tex">x_1 < 2</annotation></semantics></math></span><span class="katex-html" ' +
      'aria-hidden="true">x1</span></span> b</p>', 'a $x_1 < 2$ b'],
    ['MathJax 3',
      '<mjx-container display="true"><mjx-math aria-hidden="true">q</mjx-math><mjx-assistive-mml>' +
      `${MATH}</mjx-assistive-mml></mjx-container>`, '$$\ne^x=1\n$$'],
    ['MathJax 2',
      '<p>a <span class="MathJax_Preview">x</span><span class="MathJax">drawn</span><script ' +
      'type="math/tex">\\alpha</script> b</p>', 'a $\\alpha$ b'],
    ['MediaWiki',
      '<p>a <span class="mwe-math-element"><span style="display: none"><math alttext="{\\displaystyle ' +
      'k&lt;9}"><mi>k</mi></math></span><img src="k.svg" alt="{\\displaystyle k&lt;9}"></span> b</p>', 'a $k<9$ b'],
  ])('formulas of %s', async (_, html, wanted) => {
    expect(await body(html)).toBe(wanted);
  });

  it('formulas in the text of a page that draws them', async () => {
    const html = '<p>a \\(x_1\\) b $5 and $6</p><p>\\[y_2\\]</p><pre>\\(z\\)</pre>';
    expect(await body(html, '<script src="mathjax.js"></script>')).toBe(
      'a $x_1$ b $5 and $6\n\n$$\ny_2\n$$\n\n```\n\\(z\\)\n```',
    );
    expect(await body('<p>a \\(x\\) b</p>')).toBe('a \\\\(x\\\\) b');
  });

  it('superscripts and subscripts, ruby, and words with places to break', async () => {
    expect(await body('<p>10<sup>6</sup> cells of CO<sub>2</sub>, 5 m<sup><i>2</i></sup>, 1<sup>st</sup></p>')).toBe(
      '10⁶ cells of CO₂, 5 m², 1st',
    );
    expect(await body('<p>see<sup><a href="#fn1">1</a></sup></p>')).toBe('see[1](#fn1)');
    expect(await body('<p><ruby>東<rp>(</rp><rt>とう</rt><rp>)</rp>京<rt>きょう</rt></ruby>へ</p>')).toBe(
      '東京(とうきょう)へ',
    );
    expect(await body('<p><ruby>漢<rt>かん</rt></ruby><ruby>字<rt>じ</rt></ruby>と<ruby>字<rt>じ</rt></ruby></p>'))
      .toBe('漢字(かんじ)と字(じ)');
    expect(await body('<p>Donau\u00addampf\u00adschiff</p>')).toBe('Donaudampfschiff');
  });

  it('headings without links to themselves', async () => {
    const html = '<h2>A<a class="headerlink" href="#a" title="Permalink">¶</a></h2><h3><a href="#b">B</a></h3>' +
      '<h4>C<a href="#c" class="hash-link">\u200b</a></h4><p>d <a href="#d">#1</a></p>' +
      '<h5>E<a class="anchor-link" href="#e">Link to this heading</a></h5>' +
      '<h6>F<span class="mw-editsection">[<a href="x">edit</a>]</span></h6><p>g</p>';
    expect(await body(html)).toBe('## A\n\n### [B](#b)\n\n#### C\n\nd [#1](#d)\n\n##### E\n\n###### F\n\ng');
  });

  it('code without the numbers of its lines, and with its language', async () => {
    const code = '```python\nimport os\nprint(os)\n```';
    const numbers = '<td class="linenos"><pre>1\n2</pre></td>';
    for (
      const html of [
        `<table><tr>${numbers}<td><pre><code class="language-python">import os\nprint(os)</code></pre></td></tr></table>`,
        `<div class="highlight-python notranslate"><table><tr>${numbers}<td><pre>import os\nprint(os)\n</pre></td></tr></table></div>`,
        '<pre class="brush: python;"><span class="lineno">1</span>import os\n<span class="lineno">2</span>print(os)</pre>',
        '<div class="highlight" data-lang="python"><table><tr><td class="blob-num" data-line-number="1"></td><td>import ' +
        'os</td></tr><tr><td class="blob-num" data-line-number="2"></td><td>print(os)</td></tr></table></div>',
      ]
    ) expect([html, (await body(html)).replace('```\nimport', '```python\nimport')]).toEqual([html, code]);
    expect(await body('<table><tr><td>1</td><td>one</td></tr><tr><td>2</td><td>two</td></tr></table>')).toContain(
      '| 2 |',
    );
  });

  it('content of shadow roots, in its slots', async () => {
    expect(
      await body(
        '<x-card><template shadowrootmode="open"><h2><slot name="t"></slot></h2><p>in the shadow</p><slot>' +
          'none</slot></template><p>light</p><b slot="t">title</b></x-card><template><p>no</p></template>',
      ),
    ).toBe('## **title**\n\nin the shadow\n\nlight');
  });

  it('panels of tabs and heads of accordions, but no menus and popups', async () => {
    const html = '<div role="tabpanel"><p>one</p></div><div role="tabpanel" hidden><p>two</p></div><h2><button ' +
      'aria-controls="x">head</button></h2><div id="x" style="display:none"><p>three</p></div><p hidden>no</p>' +
      '<a data-toggle="modal" data-target="#m"></a><div class="modal" id="m" style="display:none">no</div>';
    expect(await body(html)).toBe('one\n\ntwo\n\n## head\n\nthree');
    expect(await body('<div role="tablist"><div role="tab"><h3>Q</h3></div><div role="tabpanel">A</div></div>')).toBe(
      '### Q\n\nA',
    );
  });

  it('pictures with the address from which scripts load them', async () => {
    expect(
      await body(
        '<p><img src="data:image/gif;base64,R0" data-src="/a.jpg" alt="a"><noscript><img src="/a.jpg" ' +
          'alt="a"></noscript> <img srcset="b.png 1x, c.png 2x" alt="b"></p><p>x <noscript><img src="d.png" alt="d">' +
          '</noscript></p>',
      ),
    ).toBe('![a](/a.jpg) ![b](b.png)\n\nx ![d](d.png)');
  });

  it('a page behind elements of noscript that are not closed', async () => {
    expect(await markdown('<html><body><noscript><div>Enable it.</noscript><p>The page.</p></body></html>', 'a.html'))
      .toBe('The page.');
    expect(await markdown('<html><body><noscript><p>The page.</p></body></html>', 'a.html')).toBe('The page.');
  });

  it.each(['<sup>ß</sup>', '<ruby>a<rt>b</rt>', '<noscript><img alt=x></noscript>', 'x<math><mi>x</mi></math>',
    '<pre>1', '<span class=katex>', '<a href="#">', '<template shadowrootmode=open><slot>', '<table><tr><td>1<td><pre>',
    '\\(', '<img data-src=x alt=y>', '<div class=related><div hidden>'])('of any number or depth: %s',
      async (piece) => {
        const many = `<p>begin</p>${piece.repeat(60_000 / piece.length)}<p>end</p>`;
        const result = await markdown(page(many, '<script src="katex.js"></script>'), 'a.html').catch((error: Error) =>
          error.message
        );
        expect(result).toMatch(/begin|nested/);
      });
});
