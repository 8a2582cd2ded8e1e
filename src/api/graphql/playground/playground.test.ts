import { Script } from 'node:vm';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GraphqlFixture } from '../../../testkit/graphql/graphql-fixture.ts';
import { splitPage } from './split-page.ts';

describe('the playground', () => {
  let fixture: GraphqlFixture;
  beforeAll(async () => {
    fixture = await GraphqlFixture.open();
  });
  afterAll(() => fixture.close());

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fixture.client.send(method, path, { headers: { 'Accept-Encoding': 'identity', ...headers } });

  it('is a page whose policy lets it load its own files only (decisions, section 5.3)', async () => {
    const page = await get('/playground');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = String(page.headers['content-security-policy']).split('; ');
    expect(policy[0]).toBe("default-src 'self'");
    expect(policy.find((rule) => rule.startsWith('script-src'))).toBeUndefined();
    expect(policy.join(' ')).not.toMatch(/https?:|\*|unsafe-eval/);
  });

  it('loads nothing from another host, and has no script within', async () => {
    const { text } = await get('/playground');
    const links = [...text.matchAll(/(?:src|href|action)="([^"]+)"/g)].map((match) => match[1]!).filter((link) =>
      !link.startsWith('data:')
    );
    expect(links).toEqual(['/playground/graphiql.css', '/playground/graphiql.js']);
    expect(text).not.toMatch(/<script>|<style>|\son\w+=/);
    for (const link of links) expect((await get(link)).status, link).toBe(200);
    const { text: css } = await get('/playground/graphiql.css');
    expect([...css.matchAll(/url\(\s*["']?(?!data:)[^)]*\)|@import[^;]*/g)].map(String)).toEqual([]);
    const { text: js } = await get('/playground/graphiql.js');
    expect(js).toContain('"endpoint":"/graphql"');
    expect(() => new Script(js)).not.toThrow();
  });

  it('comes compressed as the browser likes it, and is the same however it comes', async () => {
    for (const file of ['/playground', '/playground/graphiql.css', '/playground/graphiql.js']) {
      const [plain, br, gzip] = [await get(file), await get(file, { 'Accept-Encoding': 'gzip, deflate, br' }),
        await get(file, { 'Accept-Encoding': 'gzip' })];
      expect([plain.headers['content-encoding'], br.headers['content-encoding'], gzip.headers['content-encoding']])
        .toEqual([undefined, 'br', 'gzip']);
      expect(brotliDecompressSync(br.bytes).equals(plain.bytes)).toBe(true);
      expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
      expect(plain.headers['vary']).toContain('Accept-Encoding');
      expect(new Set([plain, br, gzip].map(({ headers }) => headers.etag)).size).toBe(3);
    }
  });

  it('is not sent again to a browser that has it', async () => {
    const { headers } = await get('/playground/graphiql.js', { 'Accept-Encoding': 'br' });
    const again = await get('/playground/graphiql.js', { 'Accept-Encoding': 'br', 'If-None-Match': headers.etag! });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  });

  it('answers HEAD, refuses other methods, and has no other files', async () => {
    expect((await get('/playground/', {}, 'HEAD')).status).toBe(200);
    const posted = await get('/playground', {}, 'POST');
    expect([posted.status, posted.headers['allow']]).toEqual([405, 'GET, HEAD']);
    expect((await get('/playground/../package.json')).status).toBe(404);
    expect((await get('/playground/other.js')).status).toBe(404);
    expect((await get('/playgrounds')).status).toBe(404);
  });
});

describe('taking style and script out of a page', () => {
  const links = { css: '/a.css', js: '/a.js' };

  it('leaves links in their places', () => {
    expect(splitPage('<html><style>a{}</style><p><script>x("<\\/script><style>")</script></p></html>', links)).toEqual({
      html: '<html><link rel="stylesheet" href="/a.css"><p><script src="/a.js"></script></p></html>',
      css: 'a{}',
      js: 'x("<\\/script><style>")',
    });
  });

  it.each(['<html></html>', '<style></style>', '<script></script>', '<script></script><style></style>'])(
    'refuses a page of another shape: %s',
    (page) => {
      expect(() => splitPage(page, links)).toThrow('playground');
    },
  );
});
