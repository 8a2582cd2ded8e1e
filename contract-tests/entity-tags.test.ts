import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../src/testkit/docs-server.ts';
import { type Answer, HttpClient } from '../src/testkit/http-client.ts';
import { AccessServer } from './support/access-server.ts';

// Entity tags of RFC 9110: they identify a state of a document, so that clients neither read it twice nor overwrite a
// state that they have not read.

const NAME = { collection: 'blog', key: 'a', lang: 'en' };

let server: DocsServer;
let client: HttpClient;

beforeAll(async () => {
  server = await startDocsServer();
  client = new HttpClient(server.url);
  await client.post('/v1/add', { ...NAME, contentMd: 'a post. '.repeat(300) });
});
afterAll(async () => {
  client.close();
  await server.stop();
});

const send = (path: string, body: object, headers: Record<string, string> = {}, method = 'POST'): Promise<Answer> =>
  client.send(method, path, {
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const read = (headers: Record<string, string> = {}, more: object = {}) =>
  send('/v1/get', { ...NAME, ...more }, headers);
const readMeta = (headers: Record<string, string> = {}) =>
  client.send('GET', '/v1/doc-meta?collection=blog&key=a', { headers });

describe('ETag and If-None-Match', () => {
  it('return 304 without a body while the document is the same', async () => {
    const first = await read();
    const tag = first.headers.etag!;
    expect(tag).toBe(`"${first.json<{ checksum: string }>().checksum}"`);
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*', tag.replace(/"$/, '-gzip"')]) {
      for (const answer of [await read({ 'If-None-Match': known }), await readMeta({ 'If-None-Match': known })]) {
        expect([answer.status, answer.text, answer.headers.etag, answer.headers.vary]).toEqual([304, '', tag,
          'Accept-Encoding']);
      }
    }
    expect((await read({ 'If-None-Match': '"other"' })).status).toBe(200);
    expect((await readMeta({ 'If-None-Match': 'nonsense,,"' })).status).toBe(200);
  });

  it('change with the document', async () => {
    const { etag } = (await read()).headers;
    await send('/v1/set-ttl', { ...NAME, ttl: 5000 });
    const second = await read({ 'If-None-Match': etag! });
    expect([second.status, second.headers.etag]).toEqual([200, expect.not.stringMatching(etag!)]);
  });

  it('are others where the response is compressed, and mean the same', async () => {
    const plain = (await read()).headers.etag!;
    const { etag } = (await read({ 'Accept-Encoding': 'gzip' })).headers;
    expect(etag).toBe(plain.replace(/"$/, '-gzip"'));
    expect((await read({ 'Accept-Encoding': 'gzip', 'If-None-Match': etag! })).status).toBe(304);
    expect((await send('/v1/update', { ...NAME, ttl: 9000 }, { 'If-Match': etag! }, 'PATCH')).status).toBe(200);
  });

  it('are not there where a template was filled', async () => {
    const filled = await read({ 'If-None-Match': '*' }, { env: { a: 'b' } });
    expect([filled.status, filled.headers.etag]).toEqual([200, undefined]);
  });

  it('may be read by pages of other origins', async () => {
    const { headers } = await read({ Origin: 'https://example.org' });
    expect(String(headers['access-control-expose-headers']).split(', ')).toContain('ETag');
  });
});

describe('If-Match', () => {
  it('lets a write happen to the state that was read, once', async () => {
    const headers = { 'If-Match': (await read()).headers.etag! };
    expect((await send('/v1/update', { ...NAME, contentMd: 'mine' }, headers, 'PATCH')).status).toBe(200);
    for (const [path, body, method] of [['/v1/update', { contentMd: 'theirs' }, 'PATCH'], ['/v1/add', {
      contentMd: 'theirs',
    }, 'POST'], ['/v1/set-ttl', { ttl: 5 }, 'POST'], ['/v1/delete', {}, 'POST']] as const) {
      const late = await send(path, { ...NAME, ...body }, headers, method);
      expect([late.status, late.json()]).toEqual([412, {
        error: 'the document has changed since it was read; read it again',
        code: 'precondition_failed',
        requestId: expect.any(String),
      }]);
    }
    expect((await read()).json()).toMatchObject({ contentMd: 'mine' });
  });

  it('with * wants a document to be there', async () => {
    expect((await send('/v1/add', { ...NAME, key: 'new', contentMd: '' }, { 'If-Match': '*' })).status).toBe(412);
    expect((await send('/v1/add', { ...NAME, contentMd: 'again' }, { 'If-Match': '*' })).status).toBe(200);
    expect((await send('/v1/update', { ...NAME, key: 'new', contentMd: '' }, { 'If-Match': '*' }, 'PATCH')).status)
      .toBe(404);
  });
});

describe('If-None-Match of a write', () => {
  it('with * wants no document to be there', async () => {
    const add = (headers: Record<string, string>) =>
      send('/v1/add', { ...NAME, key: 'once', contentMd: 'mine' }, headers);
    expect((await add({ 'If-None-Match': '*' })).status).toBe(200);
    const late = await add({ 'If-None-Match': '*' });
    expect([late.status, late.json()]).toEqual([412, {
      error: 'there is such a document, and the request expects none',
      code: 'precondition_failed',
      requestId: expect.any(String),
    }]);
    expect((await add({ 'If-None-Match': '"other"' })).status).toBe(200);
  });
});

it('callers without read permission get no checksum', async () => {
  const access = await AccessServer.start();
  const writer = { Authorization: `Bearer ${await access.register('writer')}` };
  await access.grant('writer', 'blog', 'write');
  const written = await access.send('POST', '/v1/add', writer, { ...NAME, contentMd: 'a' });
  await access.stop();
  expect([written.status, written.json<object>(), written.headers.etag]).toEqual([200,
    expect.not.objectContaining({ checksum: expect.anything() }), undefined]);
});
