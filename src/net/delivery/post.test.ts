import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VirtualTimer } from '../../testkit/virtual-timer.ts';
import { createOutbound, type Outbound } from '../outbound.ts';
import { poster } from './post.ts';

let server: Server;
let outbound: Outbound;
let timer: VirtualTimer;
let onRequest: (socket: Socket) => void;
const sockets = new Set<Socket>();

beforeEach(async () => {
  timer = new VirtualTimer();
  outbound = createOutbound({ allowPrivate: 'loopback', allowlist: [] }, { timer });
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => onRequest(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  await outbound.close();
  for (const socket of sockets) socket.destroy();
  server.close();
});

const post = (url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`) =>
  poster(outbound)({ url, headers: {}, body: new TextEncoder().encode('{}') }, new AbortController().signal);
const answering = (head: string, body = '') => (socket: Socket) =>
  void socket.write(`HTTP/1.1 ${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);

describe('one attempt of a delivery', () => {
  it.each([['200 OK', 200], ['204 No Content', 204], ['299 Strange', 299]])('is delivered by %s',
    async (head, status) => {
      onRequest = answering(head);
      expect(await post()).toEqual({ kind: 'delivered', status });
    });

  it('is refused permanently by 410 alone', async () => {
    onRequest = answering('410 Gone');
    expect(await post()).toEqual({ kind: 'refused', error: 'HTTP status 410', status: 410 });
    for (const status of [400, 404, 500, 503]) {
      onRequest = answering(`${status} No`);
      expect(await post()).toEqual({ kind: 'failed', error: `HTTP status ${status}`, status });
    }
  });

  it('ends at a redirect, wherever that leads', async () => {
    onRequest = answering('307 Temporary Redirect\r\nLocation: http://169.254.169.254/');
    expect(await post()).toEqual({ kind: 'failed', error: 'HTTP status 307', status: 307 });
  });

  it('fails after 10 seconds where the endpoint hangs, or sends its response drop by drop', async () => {
    for (const hang of [() => undefined, (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nX-')]) {
      const begun = Promise.withResolvers<void>();
      onRequest = (socket) => {
        hang(socket);
        begun.resolve();
      };
      const outcome = post();
      await begun.promise;
      await timer.advance(10_000);
      expect(await outcome).toEqual({ kind: 'failed', error: 'no complete response within 10 s' });
    }
  });

  it('fails where the endpoint resets the connection, or nobody listens', async () => {
    onRequest = (socket) => void socket.resetAndDestroy();
    expect(await post()).toMatchObject({ kind: 'failed', error: expect.stringMatching(/ECONNRESET|closed/) as string });
    expect(await post('http://127.0.0.1:1/')).toMatchObject({ kind: 'failed' });
  });

  it('calls no address that the server must not call', async () => {
    expect(await post('http://169.254.169.254/')).toMatchObject({
      kind: 'failed',
      error: expect.stringContaining('must not call') as string,
    });
    expect(await post('http://10.1.2.3/')).toMatchObject({
      kind: 'failed',
      error: expect.stringContaining('must not call') as string,
    });
  });

  it('respects Retry-After in seconds, an hour at most', async () => {
    onRequest = answering('429 Too Many Requests\r\nRetry-After: 30');
    expect(await post()).toMatchObject({ retryAfterMs: 30_000 });
    onRequest = answering('429 Too Many Requests\r\nRetry-After: 999999');
    expect(await post()).toMatchObject({ retryAfterMs: 3_600_000 });
  });

  it('reads no more of a response than it needs', async () => {
    onRequest = answering('200 OK', 'x'.repeat(100_000));
    expect(await post()).toEqual({ kind: 'delivered', status: 200 });
  });

  it('takes no header of framing, and no port of another protocol', async () => {
    const send = outbound.sender({ timeoutMs: 1000, maxBytes: 10 });
    const signal = new AbortController().signal;
    await expect(
      send({ url: 'http://127.0.0.1:80/', method: 'POST', headers: { 'Transfer-Encoding': 'chunked' } }, signal),
    ).rejects.toMatchObject({ rule: 'header' });
    await expect(send({ url: 'http://127.0.0.1:25/', method: 'POST', headers: {} }, signal)).rejects.toMatchObject({
      rule: 'address',
    });
  });

  it('ends when it is cut off', async () => {
    const begun = Promise.withResolvers<void>();
    onRequest = () => begun.resolve();
    const cutting = new AbortController();
    const outcome = poster(outbound)({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      headers: {},
      body: new Uint8Array(2),
    }, cutting.signal);
    await begun.promise;
    cutting.abort();
    expect(await outcome).toMatchObject({ kind: 'failed' });
  });
});
