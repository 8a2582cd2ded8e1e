import Koa from 'koa';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, HttpClient } from '../../testkit/http-client.ts';
import type { HttpContext, RequestState } from './request.ts';
import { compression, sendJson } from './respond.ts';

const LONG = 'héllo wörld '.repeat(200);
const DECODE: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

const open: { server: Server; client: HttpClient }[] = [];
afterEach(async () => {
  for (const { server, client } of open.splice(0)) {
    client.close();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function get(answer: (ctx: HttpContext) => unknown, headers: Record<string, string> = {},
  method = 'GET'): Promise<Answer>
{
  const app = new Koa<RequestState>({ proxy: false });
  app.silent = true;
  app.use(compression());
  app.use(async (ctx) => void (await answer(ctx)));
  const server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new HttpClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  open.push({ server, client });
  return client.send(method, '/', { headers });
}

const asJson = (value: unknown) => (ctx: HttpContext) => {
  ctx.status = 200;
  return sendJson(ctx, value);
};
const asBody = (type: string, body: unknown, headers: Record<string, string> = {}) => (ctx: HttpContext) => {
  ctx.set({ 'Content-Type': type, ...headers });
  ctx.body = body as string;
};
const decoded = ({ bytes, headers }: Answer): string =>
  (DECODE[headers['content-encoding'] ?? '']?.(bytes) ?? bytes).toString();

describe('a response over 1 KiB is compressed', () => {
  it.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['zstd', 'zstd'],
    // If the client accepts several encodings equally, the server chooses.
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, br', 'br'],
    ['zstd;q=0.5, gzip;q=0.9, br;q=0.1', 'gzip'],
    ['gzip;q=0, *', 'zstd'],
    ['*', 'zstd'],
    ['identity, gzip;q=0.5', undefined],
    ['deflate', undefined],
    ['zstd;q=0, br;q=0', undefined],
    ['', undefined],
    [undefined, undefined],
    [',;q=, ;;=;q=x', undefined],
  ])('for a client that accepts %j with %s', async (accepted, encoding) => {
    const headers: Record<string, string> = accepted === undefined ? {} : { 'Accept-Encoding': accepted };
    for (const answer of [asJson({ text: LONG }), asBody('text/plain; charset=utf-8', LONG),
      asBody('application/x-ndjson', Buffer.from(LONG)),
      asBody('text/markdown; charset=utf-8', Readable.from([LONG.slice(0, 100), LONG.slice(100)]))])
    {
      const sent = await get(answer, headers);
      expect([sent.status, sent.headers['content-encoding'], sent.headers.vary]).toEqual([200, encoding,
        'Accept-Encoding']);
      expect(decoded(sent)).toContain(LONG);
      if (sent.headers['content-length'] !== undefined)
        expect(Number(sent.headers['content-length'])).toBe(sent.bytes.length);
      if (encoding !== undefined) expect(sent.bytes.length).toBeLessThan(500);
    }
  });

  it('and says its type as before', async () => {
    const json = await get(asJson({ text: LONG }), { 'Accept-Encoding': 'gzip' });
    const stream = await get(asBody('application/x-ndjson; charset=utf-8', Readable.from([LONG])), {
      'Accept-Encoding': 'gzip',
    });
    expect([json.headers['content-type'], stream.headers['content-type']]).toEqual(['application/json; charset=utf-8',
      'application/x-ndjson; charset=utf-8']);
  });

  it('under an entity tag of its own, where that is strong', async () => {
    const tagged = (tag: string) => get(asBody('text/plain', LONG, { ETag: tag }), { 'Accept-Encoding': 'br' });
    expect((await tagged('"abc"')).headers.etag).toBe('"abc-br"');
    expect((await tagged('W/"abc"')).headers.etag).toBe('W/"abc"');
  });

  it('and broken off where its source breaks off', async () => {
    const failing = async function*() {
      yield LONG;
      throw new Error('the source failed');
    };
    await expect(get(asBody('text/plain', Readable.from(failing())), { 'Accept-Encoding': 'gzip' })).rejects.toThrow();
  });
});

describe('left as it is', () => {
  const accepting = { 'Accept-Encoding': 'gzip' };
  const short = 'ä'.repeat(500);

  it.each<[string, (ctx: HttpContext) => unknown]>([['a short answer', asJson({ short })], ['a short text',
    asBody('text/plain', short)], ['an event stream', asBody('text/event-stream', Readable.from([LONG]))], [
    'a file that is compressed',
    asBody('application/zip', Readable.from([LONG])),
  ], ['bytes of no text', asBody('application/octet-stream', Buffer.from(LONG))], ['what is encoded already',
    asBody('text/plain', Buffer.from(LONG), { 'Content-Encoding': 'identity' })], ['a part of a file', (ctx) => {
    asBody('text/plain', LONG, { 'Content-Range': 'bytes 0-9/10' })(ctx);
    ctx.status = 206;
  }], ['an answer with a credential', (ctx) => {
    ctx.state.operation = { id: 'login' } as never;
    ctx.set('Cache-Control', 'no-store');
    return asJson({ token: LONG })(ctx);
  }]])('is %s', async (_, answer) => {
    const sent = await get(answer, accepting);
    expect([sent.headers['content-encoding'] ?? 'identity', sent.text.length]).toEqual(['identity',
      expect.any(Number)]);
    expect(sent.bytes.length).toBeGreaterThan(500);
  });

  it('is the length that HEAD reports', async () => {
    const { headers, bytes } = await get(asBody('text/plain', LONG), accepting, 'HEAD');
    expect([headers['content-encoding'], Number(headers['content-length']), bytes.length]).toEqual([undefined,
      Buffer.byteLength(LONG), 0]);
  });
});
