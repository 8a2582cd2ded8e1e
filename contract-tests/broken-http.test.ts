import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../src/testkit/docs-server.ts';
import { HttpClient } from '../src/testkit/http-client.ts';

let server: DocsServer;

beforeAll(async () => {
  server = await startDocsServer();
});
afterAll(() => server.stop());

/** Sends bytes, optionally ends the sending side, and returns everything that was received. */
async function exchange(bytes: string, end: boolean): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  // The server may reset the connection after the response, because nothing valid can follow.
  socket.on('error', () => undefined);
  socket.write(bytes);
  if (end) socket.end();
  await once(socket, 'close');
  return text;
}

const add = (headers: string, body: string) =>
  `POST /v1/add HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;

describe('bytes that are no proper HTTP', () => {
  it.each([['no HTTP at all', 'hello\r\n\r\n', false], ['a TLS handshake', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000',
    false], ['a request without a host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', false], [
    'headers beyond 16 KiB',
    `GET /health HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    false,
  ], ['an address beyond 16 KiB', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, false], [
    'a body shorter than stated',
    add('Content-Length: 100', '{"collection":"a"}'),
    true,
  ], ['a length and chunks at once', add('Content-Length: 3\r\nTransfer-Encoding: chunked', '0\r\n\r\n'), false], [
    'a broken chunk',
    add('Transfer-Encoding: chunked', 'zz\r\n{}\r\n0\r\n\r\n'),
    false,
  ], ['a line break in a header', 'GET /health HTTP/1.1\r\nHost: localhost\r\nX: a\u0000b\r\n\r\n', false]])(
    'are refused: %s',
    async (_, bytes, end) => {
      const answer = await exchange(bytes, end);
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
      const client = new HttpClient(server.url);
      expect((await client.get('/health')).status, 'the server lives').toBe(200);
      client.close();
    },
  );
});
