import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { urlKey } from './url-key.ts';

describe('urlKey (decision D-37)', () => {
  it.each([['https://example.com/docs/Getting-Started.html', 'docs-getting-started'], [
    'https://example.com/docs/Getting-Started.html?page=2#top',
    'docs-getting-started',
  ], ['https://other.example/docs/getting-started', 'docs-getting-started'], ['https://example.com', 'index'], [
    'https://example.com/',
    'index',
  ], ['https://example.com/?q=/a/b', 'index'], ['https://example.com/a//b/', 'a-b'], ['https://example.com/a%20b/c%2Fd',
    'a-b-c-d'], ['https://example.com/%E2%82%AC-prices.md', '--prices'], ['https://example.com/caf%E9', 'caf-e9'], [
    'https://example.com/100%',
    '100-',
  ], ['https://example.com/v1.2/file.tar.gz', 'v1.2-file.tar.gz'], ['https://example.com/README.MD', 'readme'], [
    'https://example.com/page.php',
    'page',
  ], ['https://example.com/a.html.html', 'a.html'], ['https://example.com/docs/.html', 'docs'], [
    'https://example.com/x_y~z',
    'x_y-z',
  ], ['//cdn.example.com/lib/app.js', 'lib-app.js'], ['/relative/path.htm', 'relative-path'], [
    'file:///home/a.markdown',
    'home-a',
  ], ['', 'index'], ['https://de.example/%C3%9Cber-uns/Stra%C3%9Fe.html', 'über-uns-straße'], [
    'https://ru.example/Новости/Сегодня',
    'новости-сегодня',
  ], ['https://ja.example/記事/東京', '記事-東京'], ['https://hi.example/हिन्दी', 'हिन्दी'], [
    'https://fr.example/cafe%CC%81',
    'caf\u00e9',
  ], ['https://ar.example/٢٠٢٦', '٢٠٢٦']])('%s → %s', (url, key) => {
    expect(urlKey(url)).toBe(key);
  });

  it('is a valid key for every input, and does not see query or fragment', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), fc.string(), (path, query) => {
      expect(urlKey(path)).toMatch(/^[\p{L}\p{M}\p{Nd}._-]+$/u);
      const url = `https://example.com/${encodeURIComponent(path.toWellFormed())}`;
      expect(urlKey(`${url}?${query}`)).toBe(urlKey(url));
    }));
  });

  it.each([['https://example.com/docs/Page.html?b=2&a=1#top', 'example.com-docs-page-b-2-a-1'], [
    'https://Example.com:8080/',
    'example.com-8080',
  ], ['https://user:secret@example.com/a', 'example.com-a'], ['https://bücher.example/?q=sch%C3%B6n',
    'bücher.example-q-schön'], ['https://example.com/?', 'example.com'], ['/relative/path.htm?x', 'relative-path-x'], [
    '',
    'index',
  ]])('takes host and query in when asked to: %s → %s', (url, key) => {
    expect(urlKey(url, 'url')).toBe(key);
  });

  it('is quick on long paths', () => {
    expect(urlKey(`https://e.example/a${'/'.repeat(200_000)}b`)).toBe('a-b');
  });
});
