import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOutbound, type Outbound } from '../../net/index.ts';
import { TextConverter } from '../../testkit/text-converter.ts';
import { Fixture, START } from '../documents/test-fixture.ts';
import { nameOfPage } from './import-url.ts';
import { createIngest } from './index.ts';

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

describe('import-url (contract section 4, decision D-70)', () => {
  let web: Server;
  let base: string;
  let answering: Answering;
  let seen: IncomingMessage[];
  let fixture: Fixture;
  let converter: TextConverter;
  let outbound: Outbound;

  beforeAll(async () => {
    web = createServer((request, response) => {
      seen.push(request);
      answering(request, response);
    });
    await once(web.listen(0, '127.0.0.1'), 'listening');
    base = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    web.closeAllConnections();
    await new Promise((resolve) => web.close(resolve));
  });
  beforeEach(async () => {
    seen = [];
    fixture = await Fixture.open('sql.js', { buildVersion: '1.2.3' });
    converter = new TextConverter();
    outbound = createOutbound({ allowPrivate: 'loopback', allowlist: [] });
    fixture.use(createIngest(fixture.environment, { ...fixture, converter, outbound }).handlers);
  });
  afterEach(async () => {
    await outbound.close();
    await fixture.close();
  });

  const page = (text: string | Buffer, headers: Record<string, string> = {}): Answering => (_, response) =>
    response.writeHead(200, { 'Content-Type': 'text/markdown; charset=utf-8', ...headers }).end(text);
  const take = (path: string, more: object = {}) =>
    fixture.call('importUrl', { collection: 'Web', url: `${base}${path}`, lang: 'en', ...more });

  it('stores what the URL holds under the key of its path', async () => {
    answering = page('---\ncategory: news\n---\n# Hello', {
      ETag: '"v1"',
      'Last-Modified': 'Mon, 22 Dec 2025 10:00:00 GMT',
    });
    expect(await take('/Docs/Hello%20World.html?x=1')).toEqual({
      id: 'web|docs-hello-world|en',
      key: 'docs-hello-world',
      lang: 'en',
      contentMd: '# Hello',
      addedAt: START,
      updatedAt: START,
      meta: {
        category: ['news'],
        source_url: [`${base}/Docs/Hello%20World.html?x=1`],
        source_etag: ['"v1"'],
        source_modified: ['Mon, 22 Dec 2025 10:00:00 GMT'],
      },
    });
    expect(seen[0]!.headers).toMatchObject({
      'user-agent': 'quire/1.2.3',
      accept: expect.stringContaining('text/html'),
    });
    expect(converter.files[0]).toMatchObject({
      name: 'page.md',
      contentType: 'text/markdown; charset=utf-8',
      options: { mainContent: true, baseUrl: `${base}/Docs/Hello%20World.html?x=1` },
    });
  });

  it('takes key, metadata and time to live of the request, which win over the page', async () => {
    answering = page('---\ncategory: news\nauthor: Ada\nsource_url: elsewhere\n---\nText');
    const document = await take('/a', { key: 'Mine', meta: { category: 'mine', n: 1 }, ttl: 60 });
    expect(document).toMatchObject({
      key: 'Mine',
      meta: { category: ['mine'], author: ['Ada'], n: ['1'], source_url: [`${base}/a`] },
      expiresAt: START + 60,
    });
    expect(document.meta).not.toHaveProperty('source_etag');
  });

  it('resolves links from where the redirects lead', async () => {
    answering = (request,
      response) => (request.url === '/from'
        ? response.writeHead(302, { Location: '/to/here.txt' }).end()
        : page('there')(request, response));
    expect(await take('/from')).toMatchObject({
      key: 'from',
      contentMd: 'there',
      meta: { source_url: [`${base}/from`] },
    });
    expect(converter.files[0]!.options).toMatchObject({ baseUrl: `${base}/to/here.txt` });
  });

  describe('a page that was imported before', () => {
    const versioned: Answering = (request, response) => {
      if (request.headers['if-none-match'] === '"v1"' || request.headers['if-modified-since'] !== undefined)
        response.writeHead(304).end();
      else page('# Body', { ETag: '"v1"' })(request, response);
    };

    it('is asked for on condition, and is the response as it is stored when it has not changed', async () => {
      answering = versioned;
      const first = await take('/a', { meta: { tag: 'x' } });
      fixture.advance(5);
      expect(await take('/a', { meta: { tag: 'x' } })).toEqual(first);
      expect(await take('/a')).toEqual(first);
      expect([seen.map(({ headers }) => headers['if-none-match']), await fixture.count('revisions'),
        converter.files.length]).toEqual([[undefined, '"v1"', '"v1"'], 1, 1]);
    });

    it('is asked for by its date where it has no tag', async () => {
      answering = page('x', { 'Last-Modified': 'Mon, 22 Dec 2025 10:00:00 GMT' });
      await take('/a');
      answering = versioned;
      expect(await take('/a')).toMatchObject({ contentMd: 'x' });
      expect(seen[1]!.headers['if-modified-since']).toBe('Mon, 22 Dec 2025 10:00:00 GMT');
    });

    it.each([['other metadata', { meta: { tag: 'y' } }], ['a time to live', { ttl: 5 }]])('is fetched again for %s',
      async (_, more) => {
        answering = versioned;
        await take('/a', { meta: { tag: 'x' } });
        await take('/a', more);
        expect(seen[1]!.headers['if-none-match']).toBeUndefined();
      });

    it('is fetched again when the document came from another URL', async () => {
      answering = versioned;
      await take('/a', { key: 'k' });
      await take('/b', { key: 'k' });
      expect(seen[1]!.headers['if-none-match']).toBeUndefined();
    });

    it('becomes a new version when it has changed, and none when it comes as it is stored', async () => {
      answering = page('one', { ETag: '"v1"' });
      await take('/a');
      answering = page('two', { ETag: '"v2"' });
      fixture.advance(5);
      expect(await take('/a')).toMatchObject({
        contentMd: 'two',
        addedAt: START,
        updatedAt: START + 5,
        meta: { source_etag: ['"v2"'] },
      });
      await take('/a');
      expect(await fixture.count('revisions')).toBe(2);
    });

    it('is not believed to be unchanged where nobody asked', async () => {
      answering = (_, response) => response.writeHead(304).end();
      await expect(take('/a')).rejects.toMatchObject({
        status: 400,
        message: 'url could not be fetched: the server returned 304',
      });
    });
  });

  it.each(
    [['gzip', gzipSync], ['br', brotliCompressSync], ['deflate', deflateSync], ['zstd', zstdCompressSync]] as const,
  )('unpacks %s, and gives up beyond its limit', async (encoding, pack) => {
    answering = page(pack('# Packed'), { 'Content-Encoding': encoding });
    expect(await take('/a')).toMatchObject({ contentMd: '# Packed' });
    answering = page(pack(Buffer.alloc(11 * 1024 * 1024)), { 'Content-Encoding': encoding });
    await expect(take('/bomb')).rejects.toMatchObject({
      status: 400,
      message: 'url could not be fetched: the response has more than 10485760 bytes',
    });
  });

  it('abandons a body that does not end', async () => {
    answering = (_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/plain' });
      const pump = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(256 * 1024, 'x')));
        response.once('drain', pump);
      };
      pump();
    };
    await expect(take('/endless')).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('more than 10485760 bytes'),
    });
  });

  it.each(
    [['a status', (_, response) => void response.writeHead(404).end('none'),
      'url could not be fetched: the server returned 404'], ['an answer without a body', (_, response) =>
      void response.writeHead(204).end(), 'url could not be fetched: the server returned 204'], ['too many redirects',
      (_, response) =>
        void response.writeHead(302, { Location: '/again' }).end(), 'url could not be fetched: more than 5 redirects'],
      ['a redirect to where nobody may go', (_, response) =>
        void response.writeHead(302, { Location: 'http://169.254.169.254/latest' }).end(),
        'url could not be fetched: the host 169.254.169.254'], ['a connection that breaks', (request) =>
      void request.socket.destroy(), 'url could not be fetched: the connection broke'], [
      'a body that is not compressed as it says',
      page('plain', { 'Content-Encoding': 'gzip' }),
      'url could not be fetched: the response is not compressed as it says',
    ], ['an image', page('\x89PNG', { 'Content-Type': 'image/png' }),
      'url holds image/png, which is no format that can be stored'], ['data of no kind',
      page('fault:unsupported', { 'Content-Type': 'application/octet-stream' }),
      'url holds a file that is unsupported'], ['a file that is encrypted', page('fault:encrypted'),
      'url holds a file that is encrypted']] as readonly [string, Answering, string][],
  )('refuses %s', async (_, given, message) => {
    answering = given;
    await expect(take('/a')).rejects.toMatchObject({ message: expect.stringContaining(message) });
    expect(await fixture.count('documents')).toBe(0);
  });

  it.each(['http://169.254.169.254/latest/meta-data', 'http://0x7f.1.2.3.4/', 'http://user:secret@example.org/',
    'file:///etc/passwd', 'http://10.0.0.1/'])('refuses to call %s', async (url) => {
      await expect(fixture.call('importUrl', { collection: 'web', url, lang: 'en' })).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining('url'),
      });
    });

  it('does not reveal the address that a name has', async () => {
    const { port } = new URL(base);
    await expect(fixture.call('importUrl', {
      collection: 'web',
      url: `http://localhost:${Number(port) === 1 ? 2 : 1}/`,
      lang: 'en',
    })).rejects.toMatchObject({ message: expect.not.stringContaining('127.0.0.1') });
  });

  it("refuses metadata that violate the collection's schema", async () => {
    await fixture.call('setSchema', { collection: 'web', schema: { properties: { size: { type: 'integer' } } } });
    answering = page('x');
    await expect(take('/a', { meta: { size: ['x'] } })).rejects.toMatchObject({ code: 'validation_failed' });
  });
});

describe('what a page claims to be', () => {
  it.each([['text/html; charset=utf-8', '/a.pdf', 'page.html'], ['application/pdf', '/', 'page.pdf'], ['TEXT/Markdown',
    '/', 'page.md'], ['text/csv', '/a.csv', 'page.txt'], ['text/plain', '/README.md', 'page.md'], ['text/plain',
    '/readme', 'page.txt'], ['', '/a.docx', 'page.docx'], ['application/octet-stream', '/a', 'page'], ['', '/a.png',
    'page'], ['image/png', '/a.md', undefined], ['application/zip', '/a', undefined], ['constructor', '/', undefined]])(
      'sent as %j from %s is %s',
      (type, path, name) => {
        expect(nameOfPage(type, new URL(path, 'https://example.org'))?.name).toBe(name);
      },
    );
});
