import { describe, expect, it } from 'vitest';
import { convert, fault, markdown } from '../test-fixture.ts';

const page = (body: string, head = '') =>
  `<!DOCTYPE html><html lang="en"><head><title>T</title>${head}</head><body>${body}</body></html>`;
const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(' ');

describe('HTML', () => {
  it('keeps headings, lists, code, links, emphasis and quotes of a fragment', async () => {
    const html = '<h2>A <em>b</em></h2><p>x <b>bold</b> <a href="https://a.example/">link</a> ' +
      '<code>a*b</code></p><ul><li>one<ol><li>inner</li></ol></li><li>two</li></ul><pre><code ' +
      'class="language-js">let x;\n  y</code></pre><blockquote>q</blockquote>';
    expect(await markdown(html, 'a.html')).toBe(
      '## A *b*\n\nx **bold** [link](https://a.example/) `a*b`\n\n- one\n  1. inner\n- two\n\n```js\nlet x;\n  ' +
        'y\n```\n\n> q',
    );
  });

  it('keeps tables with merged cells and blocks in cells', async () => {
    const html = '<table><caption>Cap</caption><tr><th colspan="2">wide</th><th>c</th></tr><tr><td ' +
      'rowspan="2">tall</td><td>a|b</td><td><ul><li>x</li><li>y</li></ul></td></tr><tr><td>1</td><td>2<br>3</td></tr></table>';
    expect(await markdown(html, 'a.html')).toBe(
      'Cap\n\n| wide | | c |\n| - | - | - |\n| tall | a\\|b | • x<br>• y |\n| | 1 | 2<br>3 |',
    );
  });

  it('converts captions once, also those of tables in tables in captions', async () => {
    const nested = (
      depth: number,
    ): string => (depth === 0
      ? 'x'
      : `<table><tr><td><table><caption>${depth} ${nested(depth - 1)}</caption></table></td></tr></table>`);
    expect(await markdown(nested(2), 'a.html')).toBe('2\n\n1 x');
    expect((await markdown(nested(60), 'a.html')).split('\n\n')).toHaveLength(60);
  });

  it('unfolds tables that are a layout', async () => {
    expect(
      await markdown(
        '<table><tr><td><p>left</p></td><td><table><tr><td>a</td><td>b</td></tr></table></td></tr></table>',
        'a.html',
      ),
    ).toBe('left\n\n| a | b |\n| - | - |');
  });

  it('keeps the main content of a page, and drops its navigation', async () => {
    const nav = '<nav><a href="/">Home</a></nav>';
    const main = page(`${nav}<header>Site</header><main><h1>Title</h1><p>${words(60)}</p></main><footer>foot</footer>`);
    expect(await markdown(main, 'a.html')).toBe(`# Title\n\n${words(60)}`);
    const divs = page(
      `<div class="menu"><a href="/">Home</a><a href="/b">B</a></div><div class="content"><h2>Title</h2><p>${
        words(120)
      }</p><p>${words(90)}</p></div><div id="sidebar"><ul><li><a href="/c">Related</a></li></ul></div>`,
    );
    expect(await markdown(divs, 'a.html')).toBe(`## Title\n\n${words(120)}\n\n${words(90)}`);
  });

  it('keeps a whole page that is no article', async () => {
    const html = page(
      `<div><h2>One</h2><p>${
        words(80)
      }</p></div><div><h2>Two</h2><ul><li><a href="a">A</a></li></ul></div><div><h2>Three</h2><p>short</p></div>`,
    );
    const text = await markdown(html, 'a.html');
    for (const heading of ['## One', '## Two', '## Three']) expect(text).toContain(heading);
  });

  it('keeps a fragment whole, unless it is said to be a page', async () => {
    const fragment = `<nav><a href="/">Home</a></nav><p>${words(5)}</p>`;
    expect(await markdown(fragment, 'a.html')).toContain('Home');
    expect(await markdown(fragment, 'a.html', { mainContent: true })).toBe(words(5));
    expect(await markdown(page('<nav>Home</nav><p>x</p>'), 'a.html', { mainContent: false })).toContain('Home');
  });

  it('makes addresses absolute, and drops scripts, forms and hidden text', async () => {
    const html =
      '<p>a <a href="../b?c=1">link</a> <a href="javascript:alert(1)">js</a> <img src="p.png" alt="pic"><img ' +
      'src="data:image/png;base64,AAAA" alt="data"><span hidden>no</span><span style="display: ' +
      'none">no</span><button>no</button><script>no</script></p>';
    expect(await markdown(html, 'a.html', { baseUrl: 'https://x.example/d/e/' })).toBe(
      'a [link](https://x.example/d/b?c=1) js ![pic](https://x.example/d/e/p.png)data',
    );
  });

  it('says its metadata', async () => {
    const head = '<meta name="author" content="Ada"><meta property="article:published_time" ' +
      'content="2020-01-02T03:04:05+01:00"><meta property="article:modified_time" content="2021-01-02">';
    expect((await convert(page('<p>x</p>', head), 'a.html')).meta).toEqual({
      title: ['T'],
      author: ['Ada'],
      lang: ['en'],
      created: ['2020-01-02T03:04:05+01:00'],
      modified: ['2021-01-02'],
    });
  });

  it('is in the encoding of its media type or of its head', async () => {
    const latin = Buffer.from('<meta charset="windows-1251"><p>\xcf\xf0\xe8</p>', 'latin1');
    expect(await markdown(latin, 'a.html')).toBe('При');
    expect(await markdown(Buffer.from('<p>\xcf\xf0\xe8</p>', 'latin1'), 'a.html', {
      contentType: 'text/html; charset=windows-1251',
    })).toBe('При');
  });

  it('is in the encoding that is declared late, as browsers have it', async () => {
    const late = `<html><head><!-- ${
      'x'.repeat(2000)
    } --><meta charset="windows-1251"></head><p>\xcf\xf0\xe8</p></html>`;
    expect(await markdown(Buffer.from(late, 'latin1'), 'a.html')).toBe('При');
    expect(
      await markdown(Buffer.from('<?xml version="1.0" encoding="koi8-r"?><html><p>\xf0\xd2\xc9</p></html>', 'latin1'),
        'a.xhtml'),
    ).toBe('При');
    expect((await convert(Buffer.from('<p>Grüße aus Köln</p>\n', 'utf16le'), 'a.html')).warnings).toEqual([
      'The file does not say its encoding; it was read as utf-16le.',
    ]);
  });

  it('that shows nothing is its title and description, or fails with the reason', async () => {
    expect(
      await markdown(
        '<html><head><title>T</title><meta name="description" content="D"></head><div id="app"></div></html>',
        'a.html',
      ),
    ).toBe('# T\n\nD');
    await expect(convert('<html><body><div id="app"></div><script>run()</script></body></html>', 'a.html')).rejects
      .toMatchObject({ fault: 'empty', message: expect.stringContaining('scripts') as string });
    await expect(convert('<img src="a.png">', 'a.html')).rejects.toMatchObject({ fault: 'empty' });
    expect((await convert('', 'a.html')).contentMd).toBe('');
  });

  it('keeps text from right to left, and is never too broken', async () => {
    expect(await markdown('<p dir="rtl">שלום <b>עולם</p><td>x<li>y', 'a.html')).toBe('שלום **עולם**\n\nx\n\n- y');
  });

  it('is refused when it is nested too deeply', async () => {
    expect(await fault('<div>'.repeat(600), 'a.html')).toBe('too_deep');
    expect(await fault('<div>'.repeat(100_000), 'a.html')).toBe('too_deep');
  });

  it('is plain text when that is asked for', async () => {
    expect((await convert('<h1>T</h1><p>a <b>b</b></p>', 'a.html', { textOnly: true })).contentMd).toBe('T\n\na b\n');
  });

  it.each(['<h1>', '<a><p>', '<form>', '<table><b>', '<td><a href=x>some text'])(
    'of many unclosed elements is converted: %s',
    async (piece) => {
      expect(await markdown(page(`<p>${words(100)}</p>${piece.repeat(80_000 / piece.length)}`), 'a.html')).toContain(
        'word99',
      );
    },
  );

  it('may have a body in its body', async () => {
    expect(await markdown(`<table><tr><td>a<td>${'<body>x</body>'.repeat(300)}`, 'a.html')).toContain('| a |');
  });
});
