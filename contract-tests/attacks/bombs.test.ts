import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../../src/testkit/docs-server.ts';
import { HttpClient } from '../../src/testkit/http-client.ts';
import { mcpUrl } from '../../src/testkit/mcp-clients.ts';

let server: DocsServer;
let client: HttpClient;
let mcp: HttpClient;

beforeAll(async () => {
  server = await startDocsServer({ env: { SVC_MAX_BODY_BYTES: '1048576' } });
  client = new HttpClient(server.url);
  mcp = new HttpClient(mcpUrl(server).origin);
});
afterAll(async () => {
  mcp.close();
  client.close();
  await server.stop();
});

const JSON_TYPE = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

describe('a compressed body', () => {
  const bomb = JSON.stringify({ collection: 'blog', key: 'k', lang: 'en', contentMd: 'a'.repeat(50 * 2 ** 20) });
  const packed: readonly [encoding: string, body: Uint8Array][] = [['gzip', gzipSync(bomb)], ['deflate',
    deflateSync(bomb)], ['br', brotliCompressSync(bomb)], ['gzip, gzip', gzipSync(gzipSync(bomb))], ['GZIP',
    gzipSync(bomb)], ['zstd', gzipSync(bomb)]];

  it.each(packed)('is never unpacked: %s (415)', async (encoding, body) => {
    const headers = { ...JSON_TYPE, 'Content-Encoding': encoding };
    expect((await client.send('POST', '/v1/add', { headers, body })).status).toBe(415);
    expect((await client.send('POST', '/graphql', { headers, body })).status).toBe(415);
    const answer = await mcp.send('POST', '/mcp', { headers, body });
    expect([400, 415]).toContain(answer.status);
  });

  it('that contains none of it is not JSON', async () => {
    expect((await client.send('POST', '/v1/add', { headers: JSON_TYPE, body: packed[0]![1] })).status).toBe(400);
  });
});

describe('nesting beyond all measure', () => {
  const deep = (open: string, close: string, depth = 100_000) => open.repeat(depth) + close.repeat(depth);

  it.each([['lists', deep('[', ']')], ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`], ['metadata',
    `{"collection":"blog","key":"k","lang":"en","contentMd":"a","meta":${'{"a":'.repeat(50_000)}["v"]${
      '}'.repeat(50_000)
    }}`]])('of %s is refused (400)', async (_, body) => {
      expect((await client.send('POST', '/v1/add', { headers: JSON_TYPE, body })).status).toBe(400);
    });

  it('of a query is refused, whichever language it is in', async () => {
    const queries = [deep('(', ')', 2000), `${'NOT '.repeat(1000)}a`, '('.repeat(4000), '"'.repeat(4000),
      `${'a AND ('.repeat(500)}b${')'.repeat(500)}`];
    for (const query of queries) {
      const { status, text } = await client.post('/v1/fts', { collection: 'blog', query, mode: 'boolean' });
      expect(status, text.slice(0, 200)).toBeLessThan(500);
    }
    for (const query of [`{ ${'stats { '.repeat(5000)}`, `{ a${'('.repeat(5000)} }`,
      `query { ${'...a '.repeat(5000)} } fragment a on Query { ...a }`])
    {
      const { status, text } = await client.post('/graphql', { query });
      expect(status, text.slice(0, 200)).toBeLessThan(500);
      expect(text).toContain('errors');
    }
  });
});

describe('code that is nested beyond all measure, or never ends', () => {
  const depth = 100_000;
  it.each([['js', '('.repeat(depth)], ['js', `${'['.repeat(depth)}${']'.repeat(depth)}`], ['js',
    `${'a=>'.repeat(depth)}1`], ['js', `${'f('.repeat(depth)}${')'.repeat(depth)}`], ['js', '`${'.repeat(depth)], ['ts',
    `let a: ${'A<'.repeat(depth)}`], ['js', `x = ${'"\\'.repeat(depth)}`], ['js', 'import '.repeat(depth)], ['js',
    '\n'.repeat(depth * 5)], ['css', '{'.repeat(depth)], ['css', 'url('.repeat(depth)], ['css',
    `a{b:"${'\\"'.repeat(depth)}`], ['css', '/*'.repeat(depth)], ['scss', '@import "'.repeat(depth)], ['html',
    '<div>'.repeat(depth)], ['html', '<a onclick="f('.repeat(depth / 2)], ['html', '<!--'.repeat(depth)], ['html',
    `<a onclick="${"'\\'".repeat(1300)}\\">`], ['vue', '{{'.repeat(depth)], ['svelte', '={={'.repeat(depth)]])(
      'in a file of %s is stored (%#)',
      async (ending, code) => {
        const answer = await client.post('/v1/add', {
          collection: 'code',
          key: `a.${ending}`,
          lang: 'en',
          contentMd: code,
        });
        expect(answer.status, answer.text.slice(0, 300)).toBe(200);
        expect((await client.get('/health')).status).toBe(200);
      },
    );
});

describe('YAML of a document', () => {
  const ingest = (contentMd: string) =>
    client.post('/v1/ingest', {
      collection: 'blog',
      documents: [{ key: 'k', lang: 'en', contentMd, extractFrontmatter: true }],
    });
  const laughs = ['a: &a ["x","x","x","x","x","x","x","x","x"]',
    ...['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name, i) =>
      `${name}: &${name} [${Array.from({ length: 9 }, () => `*${String.fromCharCode(97 + i)}`).join(',')}]`
    )].join('\n');

  it.each([['a billion laughs', laughs], ['an alias of itself', 'a: &a [*a]'], ['merged maps',
    `${'a: &a {x: 1}\n'}${Array.from({ length: 500 }, (_, i) => `m${i}: {<<: *a}`).join('\n')}`], ['nesting',
    `a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`], ['flow maps',
    `a: ${'{b: '.repeat(20_000)}1${'}'.repeat(20_000)}`], ['a tag of code',
    'a: !!js/function "function () { process.exit(1) }"'], ['a tag of Python',
    'a: !!python/object/apply:os.system ["id"]'], ['a number of many digits', `a: ${'9'.repeat(100_000)}`]])(
      'is stored or left as text, and unpacks into nothing large: %s',
      async (_, yaml) => {
        const answer = await ingest(`---\n${yaml}\n---\nbody`);
        expect(answer.status, answer.text.slice(0, 300)).toBeLessThan(500);
        const stored = await client.post('/v1/get', { collection: 'blog', key: 'k', lang: 'en' });
        expect(stored.text.length).toBeLessThan(500_000);
        expect((await client.get('/health')).status).toBe(200);
      },
    );
});

describe('XML', () => {
  const doctype =
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y "yyyyyyyyyy"><!ENTITY z ' +
    '"&y;&y;&y;&y;&y;">]><a>&x;&z;</a>';

  it('in a document is text: its entities are neither read nor unpacked', async () => {
    for (const key of ['page.xml', 'page.html', 'page.svg']) {
      expect((await client.post('/v1/add', { collection: 'blog', key, lang: 'en', contentMd: doctype })).status).toBe(
        200,
      );
      expect((await client.post('/v1/get', { collection: 'blog', key, lang: 'en' })).json()).toMatchObject({
        contentMd: doctype,
      });
    }
  });

  it('of code is searched for names alone', async () => {
    await client.post('/v1/add', {
      collection: 'code',
      key: 'a.html',
      lang: 'en',
      contentMd: doctype,
      meta: { language: ['html'], path: ['a.html'] },
    });
    const stored = await client.post('/v1/get', { collection: 'code', key: 'a.html', lang: 'en' });
    expect(stored.text).not.toContain('root:');
  });
});
