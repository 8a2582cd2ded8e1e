import { status } from '@grpc/grpc-js';
import fc from 'fast-check';
import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2, constants } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type DocsServer, startDocsServer } from '../src/testkit/docs-server.ts';
import { encode, GrpcClient } from '../src/testkit/grpc-client.ts';
import { HttpClient } from '../src/testkit/http-client.ts';
import { mcpUrl, RawClient } from '../src/testkit/mcp-clients.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from './fuzz/run.ts';
import { frame, PREFACE, SETTINGS } from './hostile-protocols/http2-frames.ts';

let server: DocsServer;
let ports: Readonly<Record<'HTTP' | 'gRPC' | 'MCP', number>>;
/** Connections and listeners of this process, including the server's, when it is idle. */
let quiet: number;

const sockets = (): number => process.getActiveResourcesInfo().filter((name) => /^(TCP|TLS|HTTP2)/i.test(name)).length;

beforeAll(async () => {
  server = await startDocsServer();
  ports = {
    HTTP: portOf(server.url),
    gRPC: portOf(`http://${server.listeners.grpc!.url}`),
    MCP: portOf(mcpUrl(server).href),
  };
  await everythingAnswers();
  await vi.waitFor(() => expect(sockets()).toBeLessThan(10), { timeout: 5000 });
  quiet = sockets();
});
afterEach(async () => {
  await everythingAnswers();
  await vi.waitFor(() => expect(sockets()).toBeLessThanOrEqual(quiet), { timeout: 10_000 });
  expect(server.errors).toEqual([]);
});
afterAll(() => server.stop());

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** A well-behaved client of each protocol is served. */
async function everythingAnswers(): Promise<void> {
  const http = new HttpClient(server.url);
  const health = await http.get('/health');
  http.close();
  expect([health.status, health.json()]).toEqual([200,
    expect.objectContaining({ status: 'healthy', mcpSessions: { sse: 0, streamable: 0 } })]);
  const grpc = new GrpcClient(server.listeners.grpc!.url);
  expect(await grpc.call('Health', {}, { deadline: Date.now() + 10_000 })).toMatchObject({ status: 'healthy' });
  grpc.close();
  const mcp = new RawClient(mcpUrl(server));
  expect((await mcp.stateless('tools/call', { name: 'get_health', arguments: {} })).answer.result).toMatchObject({
    structuredContent: { status: 'healthy' },
  });
  mcp.close();
}

/** Sends bytes and ends its side; resolves when the server has closed, too. */
async function sendAndEnd(port: number, bytes: Uint8Array): Promise<void> {
  const socket = quietSocket(port);
  socket.end(bytes);
  await once(socket, 'close');
}

/** Any reaction of the server is allowed. */
function quietSocket(port: number): Socket {
  return connect(port, '127.0.0.1').on('error', () => undefined).resume();
}

const PORTS = ['HTTP', 'gRPC', 'MCP'] as const;

describe('bytes that are no request, on each port', () => {
  const starts = ['GET / HTTP/1.1\r\n', 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{',
    'PRI * HTTP/2.0\r\n', PREFACE, Buffer.concat([PREFACE, SETTINGS]), '\u0016\u0003\u0001\u0002\u0000\u0001\u0000',
    ''];
  const garbage = fc.tuple(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 300 })).map(([start, rest]) =>
    Buffer.concat([Buffer.from(start), rest])
  );

  it.each(PORTS)('end the connection and nothing else: %s', async (port) => {
    await fuzz(`garbage ${port}`, garbage, (bytes) => sendAndEnd(ports[port], bytes), { factor: 3 });
  }, FUZZ_TIMEOUT_MS);

  it.each(PORTS)('may come in half a request whose sender stops sending: %s', async (port) => {
    for (const start of starts) await sendAndEnd(ports[port], Buffer.from(start));
  });

  it.each(PORTS)('do not keep others out when hundreds of connections say nothing: %s', async (port) => {
    const idle = Array.from({ length: 300 }, () => quietSocket(ports[port]));
    await Promise.all(idle.map((socket) => once(socket, 'connect')));
    await everythingAnswers();
    for (const socket of idle) socket.destroy();
  });
});

/** A connection of HTTP/2 to the gRPC port by Node's own client. */
async function http2(): Promise<ClientHttp2Session> {
  const session = connectHttp2(`http://127.0.0.1:${ports.gRPC}`).on('error', () => undefined);
  await once(session, 'connect');
  return session;
}

const PATH = '/quire.docs.v1.DocumentDB/Get';
const HEADERS = { ':method': 'POST', ':path': PATH, 'content-type': 'application/grpc', te: 'trailers' };

/** The outcome of a stream: its HTTP status and gRPC status; undefined for what was not received. */
interface Ended {
  readonly http?: number | undefined;
  readonly grpc?: number | undefined;
}

async function ending(stream: ClientHttp2Stream): Promise<Ended> {
  let [http, grpc]: (number | undefined)[] = [];
  const read = (headers: Record<string, unknown>): void => {
    http ??= headers[':status'] === undefined ? undefined : Number(headers[':status']);
    grpc ??= headers['grpc-status'] === undefined ? undefined : Number(headers['grpc-status']);
  };
  stream.on('response', read).on('trailers', read).on('error', () => undefined).resume();
  if (!stream.closed) await once(stream, 'close').catch(() => undefined);
  return { http, grpc };
}

/** A message of gRPC: whether it is compressed, its length, its bytes. */
function message(bytes: Uint8Array, { compressed = false, length = bytes.length } = {}): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(compressed ? 1 : 0);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, bytes]);
}

const GET = message(encode('Get', { collection: 'c', key: 'absent', lang: 'en' }));

async function unary(session: ClientHttp2Session, headers: Readonly<Record<string, string>>,
  body: Uint8Array = GET): Promise<Ended>
{
  const stream = session.request({ ...HEADERS, ...headers });
  const ended = ending(stream);
  stream.end(body);
  return ended;
}

/** Starts HTTP/2 and sends the same bytes twenty times, or until the server disconnects; reads nothing. */
async function flood(bytes: Buffer): Promise<Socket> {
  const socket = connect(ports.gRPC, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(Buffer.concat([PREFACE, SETTINGS]));
  for (let i = 0; i < 20 && !socket.destroyed; i++) {
    socket.write(bytes);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return socket;
}

describe('a flood of HTTP/2 on the gRPC port', () => {
  it('of streams that are all open at once is served as far as the limit, and leaves none', async () => {
    const session = await http2();
    const streams = Array.from({ length: 1500 }, () => session.request(HEADERS));
    const endings = Promise.all(streams.map(ending));
    for (const stream of streams) stream.end(GET);
    const answered = (await endings).filter(({ grpc }) => grpc === status.NOT_FOUND);
    expect(answered.length).toBeGreaterThanOrEqual(1000);
    session.destroy();
  });

  it('of streams that are reset as soon as they begin ends the connection, and does not keep others waiting', async () => {
    const session = await http2();
    const isOver = (): boolean => session.destroyed || session.closed;
    for (let i = 0; i < 10_000 && !isOver(); i++) {
      const stream = session.request(HEADERS).on('error', () => undefined);
      stream.write(GET);
      stream.close(constants.NGHTTP2_CANCEL);
      if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await everythingAnswers();
    await vi.waitFor(() => expect(isOver()).toBe(true), { timeout: 5000 });
  });

  it.each([['of pings whose answers nobody reads',
    () => Buffer.concat(Array.from({ length: 2000 }, () => frame(6, 0, 0, Buffer.alloc(8))))], [
    'of settings whose answers nobody reads',
    () => Buffer.concat(Array.from({ length: 2000 }, () => SETTINGS)),
  ], ['of headers that never end',
    () =>
      Buffer.concat([frame(1, 0, 1, Buffer.alloc(16, 0x82)), ...Array.from({ length: 2000 }, () =>
        frame(9, 0, 1, Buffer.alloc(1000, 0x82)))])], ['of priorities',
    () => Buffer.concat(Array.from({ length: 20_000 }, (_, i) => frame(2, 0, 2 * i + 1, Buffer.alloc(5))))], [
    'of windows that overflow',
    () => Buffer.concat(Array.from({ length: 100 }, () => frame(8, 0, 0, Buffer.from([0x7f, 0xff, 0xff, 0xff])))),
  ]])('%s ends the connection, and does not keep others waiting', async (_, make) => {
    const socket = await flood(make());
    await everythingAnswers();
    await vi.waitFor(() => expect(socket.destroyed).toBe(true), { timeout: 5000 });
  });

  it('of empty pieces is passed over, and does not keep others waiting', async () => {
    const pieces = Array.from({ length: 20_000 }, () => frame(0, 0, 1, Buffer.alloc(0)));
    const socket = await flood(Buffer.concat([frame(1, 4, 1, Buffer.from([0x83, 0x86, 0x84])), ...pieces]));
    await everythingAnswers();
    socket.destroy();
  });

  it('of frames at random ends the connection and nothing else', async () => {
    const any = fc.tuple(fc.nat(12), fc.nat(255), fc.nat(5), fc.uint8Array({ maxLength: 60 })).map((
      [type, flags, stream, payload],
    ) => frame(type, flags, stream, payload));
    await fuzz('frames', fc.array(any, { maxLength: 20 }),
      (frames) => sendAndEnd(ports.gRPC, Buffer.concat([PREFACE, SETTINGS, ...frames])), { factor: 5 });
  }, FUZZ_TIMEOUT_MS);
});

describe('a call of gRPC that is out of order', () => {
  let session: ClientHttp2Session;
  beforeAll(async () => {
    session = await http2();
    quiet = sockets();
  });
  afterAll(() => session.destroy());

  it.each<[string, Record<string, string>, Ended]>([['an unknown method', {
    ':path': '/quire.docs.v1.DocumentDB/Nothing',
  }, { http: 200, grpc: status.UNIMPLEMENTED }], ['a path that is none', { ':path': '//..%2f' }, {
    http: 200,
    grpc: status.UNIMPLEMENTED,
  }], ['the name of a property', { ':path': '/__proto__/constructor' }, { http: 200, grpc: status.UNIMPLEMENTED }], [
    'another content type',
    { 'content-type': 'application/json' },
    { http: 415 },
  ]])('by %s is refused', async (_, headers, expected) => {
    expect(await unary(session, headers)).toEqual({ grpc: undefined, ...expected });
  });

  it.each(['abc', '-1S', '1', '999999999H', '1.5S', 'S', '99999999999999999999n', '0n'])(
    'by the timeout %j is ended or served, and not left',
    async (timeout) => {
      const { grpc } = await unary(session, { 'grpc-timeout': timeout });
      expect([status.NOT_FOUND, status.INTERNAL, status.INVALID_ARGUMENT, status.DEADLINE_EXCEEDED, status.CANCELLED,
        status.OUT_OF_RANGE]).toContain(grpc);
    },
  );

  it('by metadata beyond all measure is refused', async () => {
    const own = await http2();
    const { http, grpc } = await unary(own, { 'x-long': 'x'.repeat(200_000) }).catch(() => ({}) as Ended);
    expect([http, grpc]).not.toEqual([200, status.OK]);
    expect(grpc).not.toBe(status.NOT_FOUND);
    own.destroy();
  });

  it('by metadata that are odd is served', async () => {
    const odd = {
      'x-api-key': ' ',
      authorization: 'Bearer',
      'x-request-id': '\u00e9'.repeat(100),
      'some-bin': '%%%',
      'grpc-accept-encoding': 'x,,,y',
    };
    expect((await unary(session, odd)).grpc).toBe(status.NOT_FOUND);
  });

  it.each<[string, Buffer, number[]]>([['claims four gigabytes', message(Buffer.alloc(10), { length: 0xffffffff }), [
    status.RESOURCE_EXHAUSTED,
  ]], ['claims more than comes', message(Buffer.alloc(10), { length: 100 }), [status.INTERNAL, status.INVALID_ARGUMENT,
    status.UNIMPLEMENTED]], ['is not there', Buffer.alloc(0), [status.INTERNAL, status.INVALID_ARGUMENT,
    status.UNIMPLEMENTED]], ['is followed by another', Buffer.concat([GET, GET]), [status.INTERNAL,
    status.INVALID_ARGUMENT, status.UNIMPLEMENTED, status.NOT_FOUND]], [
    'says that it is compressed where nothing was agreed',
    message(Buffer.from('x'), { compressed: true }),
    [status.INTERNAL, status.UNIMPLEMENTED, status.INVALID_ARGUMENT],
  ]])('whose message %s is refused', async (_, body, codes) => {
    expect(codes).toContain((await unary(session, {}, body)).grpc);
  });

  it('whose message unpacks into far more than a message may have is refused', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 2 ** 20));
    expect(bomb.length).toBeLessThan(2 ** 20);
    expect((await unary(session, { 'grpc-encoding': 'gzip' }, message(bomb, { compressed: true }))).grpc).toBe(
      status.RESOURCE_EXHAUSTED,
    );
  });

  it.each(['gzip', 'deflate', 'rot13'])('whose message says %s and is not is refused', async (encoding) => {
    const { grpc } = await unary(session, { 'grpc-encoding': encoding },
      message(Buffer.from('compressed by nothing'), { compressed: true }));
    expect([status.INTERNAL, status.INVALID_ARGUMENT, status.UNIMPLEMENTED]).toContain(grpc);
  });
});

describe('readers that stop reading in the middle', () => {
  it('keep nobody from writing, and leave nothing when they go', async () => {
    const http = new HttpClient(server.url, 64);
    const documents = Array.from({ length: 100 },
      (_, i) => ({ key: `page ${i}`, lang: 'en', contentMd: 'words '.repeat(20_000) }));
    expect((await http.post('/v1/add-batch', { collection: 'large', documents })).json()).toMatchObject({ added: 100 });

    const body = JSON.stringify({ collection: 'large', format: 'ndjson' });
    const overHttp = await Promise.all(Array.from({ length: 20 }, async () => {
      const socket = connect(ports.HTTP, '127.0.0.1').on('error', () => undefined);
      socket.write(
        `POST /v1/export HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ` +
          `${body.length}\r\n\r\n${body}`,
      );
      await once(socket, 'readable');
      return socket;
    }));
    const grpc = new GrpcClient(server.listeners.grpc!.url);
    const exports = Array.from({ length: 20 }, () => grpc.stream('Export', { collection: 'large', format: 'ndjson' }));
    for (const call of exports) call.on('error', () => undefined);
    const session = await http2();
    const watches = Array.from({ length: 20 },
      () => session.request({ ...HEADERS, ':path': '/quire.docs.v1.DocumentDB/Watch' }).on('error', () => undefined));
    for (const watch of watches) watch.end(message(encode('Watch', { collection: 'large' })));
    await Promise.all([...exports.map((call) => once(call, 'readable')),
      ...watches.map((watch) => once(watch, 'response'))]);

    for (let i = 0; i < 50; i++)
      expect(
        (await http.post('/v1/add', { collection: 'large', key: `page ${i}`, lang: 'en', contentMd: 'changed' }))
          .status,
      ).toBe(200);
    await everythingAnswers();
    for (const socket of overHttp) socket.destroy();
    for (const call of exports) call.cancel();
    grpc.close();
    // The watchers disconnect without closing their calls.
    session.socket.destroy();
    await vi.waitFor(() => expect(session.destroyed).toBe(true));
    // A writer that needs exclusive access to the database gets it, so no reader is left.
    expect((await http.get('/v1/backup?to=after.db')).json()).toMatchObject({ verified: true });
    expect((await http.post('/v1/restore', { from: 'after.db' })).status).toBe(200);
    http.close();
  });
});
