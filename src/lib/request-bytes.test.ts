import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { BodyCutOff, BodyTooLarge, readRequestBytes } from './request-bytes.ts';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** The result of reading the body of one request that is sent in pieces; the connection is then cut if requested. */
async function read(pieces: readonly string[], { length, cut = false }: { length?: number; cut?: boolean } = {}): Promise<unknown> {
  const outcome = new Promise((resolve) => {
    server = createServer((request) => void readRequestBytes(request, 10).then((bytes) => resolve(bytes.toString()), resolve));
  });
  server!.listen(0, '127.0.0.1');
  await once(server!, 'listening');
  const socket = connect((server!.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  const framing = length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n`);
  for (const piece of pieces) socket.write(length === undefined ? `${piece.length.toString(16)}\r\n${piece}\r\n` : piece);
  if (cut) socket.end();
  else if (length === undefined) socket.write('0\r\n\r\n');
  const result = await outcome;
  socket.destroy();
  return result;
}

describe('the bytes of a request', () => {
  it('are all of them, in as many pieces as they came', async () => {
    expect(await read(['abc', 'def'])).toBe('abcdef');
    expect(await read(['abc', 'defg'], { length: 7 })).toBe('abcdefg');
    expect(await read([], { length: 0 })).toBe('');
  });

  it('may have any number, whether or not the request says how many they are', async () => {
    expect(await read(['0123456789'])).toBe('0123456789');
    expect(await read(['01234567890'])).toBeInstanceOf(BodyTooLarge);
    expect(await read([], { length: 11 })).toBeInstanceOf(BodyTooLarge);
  });

  it('that stop coming are no body', async () => {
    expect(await read(['abc'], { length: 7, cut: true })).toBeInstanceOf(BodyCutOff);
  });

  it('are not waited for where the client went before anyone asked for them', async () => {
    const outcome = new Promise((resolve) => {
      server = createServer((request) => {
        request.once('close', () => void readRequestBytes(request, 10).then(resolve, resolve));
        socket.destroy();
      });
    });
    server!.listen(0, '127.0.0.1');
    await once(server!, 'listening');
    const socket = connect((server!.address() as AddressInfo).port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\nabc');
    expect(await outcome).toBeInstanceOf(BodyCutOff);
  });
});
