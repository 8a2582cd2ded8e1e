import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { BodyCutOff, BodyTooLarge, readRequestBytes } from './request-bytes.ts';
import { nodeLoop } from './turns.ts';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

interface Sending {
  readonly length?: number;
  /** Whether the connection is cut after the pieces. */
  readonly cut?: boolean;
  /** Whether the body is asked for only when all of it has arrived. */
  readonly late?: boolean;
  readonly maxBytes?: number;
  readonly whilePieceArrives?: () => void;
}

/** The result of reading the body of one request that is sent in pieces. */
async function read(pieces: readonly string[],
  { length, cut = false, late = false, maxBytes = 10, whilePieceArrives }: Sending = {}): Promise<unknown>
{
  const outcome = new Promise((resolve) => {
    server = createServer(async (request) => {
      while (late && !request.complete) await setImmediate();
      if (whilePieceArrives !== undefined) {
        // Until then the client has sent what it can.
        for (let turn = 0; turn < 50; turn++) await setImmediate();
        request.on('data', whilePieceArrives);
      }
      await readRequestBytes(request, maxBytes).then((bytes) => resolve(bytes.toString()), resolve);
    });
  });
  server!.listen(0, '127.0.0.1');
  await once(server!, 'listening');
  const socket = connect((server!.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  const framing = length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n`);
  for (const piece of pieces)
    socket.write(length === undefined ? `${piece.length.toString(16)}\r\n${piece}\r\n` : piece);
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

  it('of a long body are the same, whether or not the request says how many they are', async () => {
    const pieces = Array.from({ length: 50 }, (_, i) => String.fromCharCode(97 + (i % 26)).repeat(70_000));
    const whole = pieces.join('');
    expect(await read(pieces, { maxBytes: whole.length }) === whole).toBe(true);
    expect(await read(pieces, { maxBytes: whole.length, length: whole.length }) === whole).toBe(true);
    expect(await read(pieces, { maxBytes: whole.length - 1 })).toBeInstanceOf(BodyTooLarge);
  });

  it('of a long body are read in later turns of the event loop when one is over', async () => {
    const inTurns = new Map<number, number>();
    const work = (): void => {
      inTurns.set(nodeLoop.turn(), (inTurns.get(nodeLoop.turn()) ?? 0) + 1);
      for (const begun = nodeLoop.now(); nodeLoop.now() - begun < 10;);
    };
    const body = 'x'.repeat(2_000_000);
    expect(await read([body], { maxBytes: body.length, length: body.length, whilePieceArrives: work }) === body).toBe(
      true,
    );
    expect(Math.max(...inTurns.values())).toBeLessThan(5);
  });

  it('may have any number, whether or not the request says how many they are', async () => {
    expect(await read(['0123456789'])).toBe('0123456789');
    expect(await read(['01234567890'])).toBeInstanceOf(BodyTooLarge);
    expect(await read([], { length: 11 })).toBeInstanceOf(BodyTooLarge);
  });

  it('are the same where all have arrived before anyone asks for them', async () => {
    expect(await read(['abc', 'def'], { late: true })).toBe('abcdef');
    expect(await read(['abc', 'defg'], { length: 7, late: true })).toBe('abcdefg');
    expect(await read([], { length: 0, late: true })).toBe('');
    expect(await read(['01234', '56789'], { late: true })).toBe('0123456789');
    expect(await read(['01234', '567890'], { late: true })).toBeInstanceOf(BodyTooLarge);
  });

  it('leave the connection to the next request, also where they are read at once', async () => {
    server = createServer(async (request, response) => {
      while (!request.complete) await setImmediate();
      response.end(await readRequestBytes(request, 10));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let answers = '';
    socket.on('data', (chunk: Buffer) => (answers += chunk.toString()));
    for (const body of ['abc', '', 'def']) {
      const before = answers;
      socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      while (answers === before) await once(socket, 'data');
    }
    expect(answers.match(/\r\n\r\n(?:abc|def|)(?=HTTP|$)/g)).toEqual(['\r\n\r\nabc', '\r\n\r\n', '\r\n\r\ndef']);
    socket.destroy();
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
