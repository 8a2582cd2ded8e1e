import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ServiceError } from '../../errors/index.ts';
import { silentLog } from '../../lib/log.ts';
import { readRequestBytes } from '../../lib/request-bytes.ts';
import { type ArrivalPace, type ClientBounds, directClients } from '../../lib/slow-bodies.ts';
import { createAddressReader, parseNetwork } from '../../lib/trusted-proxies.ts';
import { readJsonObject } from './body.ts';
import { piecesOf } from './form.ts';
import { flatErrors, type HttpServer, type ServerLimits, startHttpServer } from './index.ts';

/** Like the usual limits, in a fraction of the time: 100 bytes within each tenth of a second. */
const PACE: ArrivalPace = { stall: { periodMs: 100, bytes: 100 }, whole: [], stream: [], slowAfterMs: 20 };
const SHORT: ServerLimits = {
  headMs: 120,
  bodies: bodiesAt(PACE),
  stallMs: 100,
  connections: 3,
  connectionsPerClient: 100,
};

function bodiesAt(pace: ArrivalPace): ServerLimits['bodies'] {
  return { pace, maxReadOnMs: 300, checkMs: 10 };
}

const servers: HttpServer[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => server.stop(0)));
});

const warnings: string[] = [];

async function serve(listener: RequestListener, limits: Partial<ServerLimits> = {},
  clients?: ClientBounds): Promise<HttpServer>
{
  warnings.length = 0;
  const log = { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) };
  const server = await startHttpServer(listener, { host: '127.0.0.1', port: 0 }, flatErrors, {
    log,
    clients,
    limits: { ...SHORT, connections: 100, ...limits },
  });
  servers.push(server);
  return server;
}

/** Reads a body as every adapter does, and returns the outcome. */
const reading: RequestListener = (request, response) => {
  readJsonObject(request, 1_000_000, { sanitize: false }).then((value) => response.end(JSON.stringify(value)),
    (error: ServiceError) => response.writeHead(error.status, error.headers).end(error.code));
};

/** Counts the bytes of a body that it processes while it arrives. */
const streaming: RequestListener = (request, response) => {
  const count = async (): Promise<number> => {
    let bytes = 0;
    for await (const piece of piecesOf(request)) bytes += piece.length;
    return bytes;
  };
  count().then((bytes) => response.end(String(bytes)),
    (error: ServiceError) => response.writeHead(error.status, error.headers).end(error.message));
};

/** A connection without an automatic reader; `text` is what was received. */
async function open({ url }: HttpServer,
  options: Partial<TcpNetConnectOpts> = {}
): Promise<{ socket: Socket; received: () => string; closed: Promise<unknown> }> {
  const { port, hostname } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, ...options });
  sockets.push(socket);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  // Not `once`, which rejects if a connection is reset.
  const closed = new Promise<unknown>((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  return { socket, received: () => text, closed };
}

const head = (more: string): string => `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${more}\r\n`;

/** Writes a piece at a fixed interval until the connection closes. */
function drip(socket: Socket, piece: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(piece), everyMs);
  socket.once('close', () => clearInterval(timer));
}

describe('a client whose head does not come', () => {
  it.each([['says nothing at all', ''], ['stops in the middle', 'GET / HTTP/1.1\r\nHost: a\r\n']])(
    'and %s returns 408 and closed',
    async (_, text) => {
      const { socket, received, closed } = await open(await serve(reading));
      socket.write(text);
      await closed;
      expect(received()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
      expect(received()).toContain('"code":"request_timeout"');
    },
  );

  it('and who sends it letter by letter as well, however many there are', async () => {
    const server = await serve(reading);
    const connections = await Promise.all(Array.from({ length: 20 }, () => open(server)));
    for (const { socket } of connections) {
      socket.write('GET / HTTP/1.1\r\n');
      drip(socket, 'X-a: b\r\n', 10);
    }
    await Promise.all(connections.map(({ closed }) => closed));
    expect(connections.every(({ received }) => received().startsWith('HTTP/1.1 408 '))).toBe(true);
  });

  it('and who is slow only with a later one on the same connection', async () => {
    const { socket, received, closed } = await open(await serve(reading));
    socket.write(`${head('Content-Length: 2\r\n')}{}`);
    await vi.waitFor(() => expect(received()).toMatch(/^HTTP\/1\.1 200 /));
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n');
    await closed;
    expect(received()).toContain('HTTP/1.1 408 ');
  });

  it('is not one that rests between two requests', async () => {
    const { socket, received } = await open(await serve(reading));
    const whole = `${head('Content-Length: 2\r\n')}{}`;
    socket.write(whole);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    socket.write(whole);
    await vi.waitFor(() => expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']));
  });

  it('does not keep others from being served', async () => {
    const server = await serve(reading);
    for (const { socket } of await Promise.all(Array.from({ length: 20 }, () => open(server))))
      socket.write('GET / HT');
    expect(
      (await fetch(server.url, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } })).status,
    ).toBe(200);
  });
});

describe('a client whose body comes too slowly', () => {
  it('returns 408 by whoever reads it, and closed', async () => {
    const { socket, received, closed } = await open(await serve(reading));
    socket.write(head('Content-Length: 100000\r\n'));
    drip(socket, 'x', 20);
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 408 /);
    expect(received()).toMatch(/Connection: close\r\n[^]*request_timeout/);
  });

  it('in chunks as well', async () => {
    const { socket, received, closed } = await open(await serve(reading));
    socket.write(head('Transfer-Encoding: chunked\r\n'));
    drip(socket, '1\r\nx\r\n', 25);
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('after it began quickly', async () => {
    const { socket, received, closed } = await open(await serve(reading));
    socket.write(head('Content-Length: 100000\r\n') + 'x'.repeat(50_000));
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('also ends where its body is read as a stream, or not at all', async () => {
    const pending = await open(await serve(() => undefined));
    pending.socket.write(head('Content-Length: 100000\r\n'));
    await pending.closed;
    expect(pending.received()).toMatch(/^HTTP\/1\.1 408 /);
    const outcome = Promise.withResolvers<unknown>();
    const streaming = await open(await serve(async (request) => {
      try {
        for await (const _ of request);
        outcome.resolve('complete');
      } catch (error) {
        outcome.resolve(error);
      }
    }));
    streaming.socket.write(head('Content-Length: 100000\r\n'));
    await streaming.closed;
    expect(streaming.received()).toMatch(/^HTTP\/1\.1 408 /);
    expect(await outcome.promise).toBeInstanceOf(Error);
  });

  it('and one that keeps the pace may take as long as it takes', async () => {
    const { socket, received } = await open(await serve(reading));
    const piece = ' '.repeat(500);
    socket.write(head(`Content-Length: ${40 * 500 + 2}\r\n`));
    for (let i = 0; i < 40; i++) {
      socket.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    socket.write('{}');
    await vi.waitFor(() => expect(received()).toMatch(/^HTTP\/1\.1 200 /));
  });

  it('is not ended because the server is slow to read', async () => {
    const gate = Promise.withResolvers<void>();
    const { socket, received } = await open(await serve((request, response) => {
      void gate.promise.then(() => readRequestBytes(request, 1_000_000)).then(
        (bytes) => response.end(String(bytes.length)),
        () => response.end('lost'),
      );
    }));
    socket.write(head('Content-Length: 200000\r\n') + 'x'.repeat(100_000));
    await new Promise((resolve) => setTimeout(resolve, 250));
    socket.write('x'.repeat(100_000));
    gate.resolve();
    await vi.waitFor(() => expect(received()).toMatch(/200000$/));
  });
});

describe('the total time of a body', () => {
  const never = { periodMs: 60_000, bytes: 0 };
  const soon = [{ afterMs: 100, bytesPerSecond: 10_000_000 }];

  it('is limited where the body is read as a whole, however steadily it comes', async () => {
    const { socket, received, closed } = await open(
      await serve(reading, { bodies: bodiesAt({ ...PACE, stall: never, whole: soon }) }),
    );
    socket.write(head('Content-Length: 1000000\r\n'));
    drip(socket, 'x'.repeat(500), 5);
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 408 [^]*Connection: close\r\n/);
  });

  it('is not limited by that where it is processed as it arrives', async () => {
    const { socket, received } = await open(
      await serve(streaming, { bodies: bodiesAt({ ...PACE, stall: never, whole: soon }) }),
    );
    socket.write(head('Content-Length: 3000\r\n'));
    for (let i = 0; i < 30; i++) {
      socket.write('x'.repeat(100));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await vi.waitFor(() => expect(received()).toMatch(/^HTTP\/1\.1 200 [^]*3000/));
  });

  it('is limited by its size there: the rate that it has to keep rises', async () => {
    const stream = [{ afterMs: 40, bytesPerSecond: 1 }, { afterMs: 150, bytesPerSecond: 10_000_000 }];
    const { socket, received, closed } = await open(
      await serve(streaming, { bodies: bodiesAt({ ...PACE, stall: never, stream }) }),
    );
    socket.write(head('Transfer-Encoding: chunked\r\n'));
    drip(socket, `ff\r\n${'x'.repeat(255)}\r\n`, 5);
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 408 [^]*at least 10000000 bytes a second are expected/);
  });

  it('ends a stream whose response has begun with that response, and then its connection', async () => {
    const { socket, received, closed } = await open(await serve((request, response) => {
      response.write('begun ');
      const read = async (): Promise<void> => {
        for await (const _ of piecesOf(request));
      };
      read().then(() => response.end('complete'), (error: ServiceError) => response.end(error.code));
    }));
    socket.write(head('Content-Length: 100000\r\n'));
    drip(socket, 'x', 20);
    await closed;
    expect(received()).toMatch(/begun [^]*request_timeout/);
  });
});

describe('many slow bodies', () => {
  const patient = bodiesAt({ ...PACE, stall: { periodMs: 60_000, bytes: 0 } });
  const body = head('Content-Length: 100000\r\n');
  const statuses = (opened: readonly { readonly received: () => string }[]): string[] =>
    opened.map(({ received }) => received().slice(9, 12));

  it('of one client: the slowest are refused, their connections close, and quick requests are served', async () => {
    let arrived = 0;
    const server = await serve((request, response) => {
      request.once('data', () => arrived++);
      reading(request, response);
    }, { bodies: patient }, directClients(2));
    const opened = await Promise.all(Array.from({ length: 5 }, () => open(server)));
    for (const { socket } of opened.slice(0, 2)) {
      socket.write(body);
      drip(socket, 'x'.repeat(100), 5);
    }
    await vi.waitFor(() => expect(arrived).toBe(2));
    for (const { socket } of opened.slice(2)) socket.write(body);
    await Promise.all(opened.slice(2).map(({ closed }) => closed));
    expect(statuses(opened)).toEqual(['', '', '429', '429', '429']);
    expect(opened[4]!.received()).toMatch(
      /Retry-After: 5\r\n[^]*Connection: close|Connection: close\r\n[^]*Retry-After: 5/i,
    );
    expect(
      (await fetch(server.url, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } })).status,
    ).toBe(200);
    expect(statuses(opened.slice(0, 2))).toEqual(['', '']);
  });

  it('are counted for each client, behind proxies as well, and over all listeners', async () => {
    const clients: ClientBounds = {
      ...directClients(1),
      readAddress: createAddressReader([parseNetwork('127.0.0.0/8')!]),
    };
    const servers = await Promise.all([serve(reading, { bodies: patient }, clients),
      serve(reading, { bodies: patient }, clients)]);
    const opened = await Promise.all([0, 1, 0, 1].map((at) => open(servers[at]!)));
    for (const [i, { socket }] of opened.entries()) {
      socket.write(head(`Content-Length: 100000\r\nX-Forwarded-For: 192.0.2.${i < 2 ? i : 9}\r\n`));
      drip(socket, 'x'.repeat(10 + i), 5);
    }
    await Promise.race([opened[2]!.closed, opened[3]!.closed]);
    expect(statuses(opened).toSorted()).toEqual(['', '', '', '429']);
    expect(statuses(opened.slice(0, 2))).toEqual(['', '']);
  });
});

describe('a request that never ends', () => {
  it('is cut off although its client does not close its side of the connection', async () => {
    const server = await serve((request, response) => void (request.url === '/' && reading(request, response)), {
      connections: 1,
    });
    const { socket, received } = await open(server, { allowHalfOpen: true });
    socket.write('POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n');
    await vi.waitFor(() => expect(received()).toMatch(/^HTTP\/1\.1 408 /));
    await vi.waitFor(async () => {
      const next = await open(server);
      next.socket.write(`${head('Content-Length: 2\r\nConnection: close\r\n')}{}`);
      await next.closed;
      expect(next.received()).toMatch(/^HTTP\/1\.1 200 /);
    }, { timeout: 5000 });
  });

  it('is cut off after its response', async () => {
    const { socket, received, closed } = await open(
      await serve((_, response) => void response.writeHead(404).end('none')),
    );
    socket.write(head('Transfer-Encoding: chunked\r\n'));
    drip(socket, `ff\r\n${'x'.repeat(255)}\r\n`, 5);
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('is cut off where it is larger than it may be', async () => {
    const { socket, received, closed } = await open(await serve(reading));
    socket.write(head('Transfer-Encoding: chunked\r\n'));
    drip(socket, `ffff\r\n${'x'.repeat(65_535)}\r\n`, 1);
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 413 /);
  });
});

describe('a client that takes in nothing of its response', () => {
  it('is cut off, and the work for its response is aborted', async () => {
    const gone = Promise.withResolvers<void>();
    const { socket, closed } = await open(await serve((_, response) => {
      response.once('close', () => gone.resolve());
      response.end(Buffer.alloc(64 * 1024 * 1024));
    }));
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await gone.promise;
    socket.resume();
    await closed;
  });

  it('is not one that waits for a slow response, or reads it slowly', async () => {
    const { socket, received } = await open(await serve((_, response) => {
      setTimeout(() => response.write('first '), 250);
      setTimeout(() => response.end('last'), 500);
    }));
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await vi.waitFor(() => expect(received()).toMatch(/first[^]*last/), { timeout: 3000 });
  });
});

describe('what is too large or too much', () => {
  it('headers of more than 16 KiB return 431', async () => {
    const { socket, received, closed } = await open(await serve(reading));
    socket.write(`GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`);
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('connections of one client are closed beyond its share, and other clients are served', async () => {
    const server = await serve(reading, { connections: 100, connectionsPerClient: 2, headMs: 60_000 },
      directClients(0));
    const [first] = await Promise.all([open(server), open(server)]);
    const third = await open(server);
    await third.closed;
    expect([third.received(), warnings]).toEqual(['', ['connections are rejected: there are too many']]);
    const other = await open(server, { localAddress: '127.0.0.2' });
    other.socket.write(`${head('Content-Length: 2\r\nConnection: close\r\n')}{}`);
    await other.closed;
    expect(other.received()).toMatch(/^HTTP\/1\.1 200 /);
    first.socket.destroy();
    await vi.waitFor(async () => {
      const late = await open(server);
      late.socket.write(`${head('Content-Length: 2\r\nConnection: close\r\n')}{}`);
      await late.closed;
      expect(late.received()).toMatch(/^HTTP\/1\.1 200 /);
    });
  });

  it('connections beyond the limit are closed unread, which is logged once, and a freed slot can be taken', async () => {
    const server = await serve(reading, { connections: 3, headMs: 60_000 });
    const held = await Promise.all([open(server), open(server), open(server)]);
    const [first, second] = [await open(server), await open(server)];
    await Promise.all([first.closed, second.closed]);
    expect([first.received(), warnings]).toEqual(['', ['connections are rejected: there are too many']]);
    held[0]!.socket.destroy();
    await vi.waitFor(async () => {
      const late = await open(server);
      late.socket.write(`${head('Content-Length: 2\r\nConnection: close\r\n')}{}`);
      await late.closed;
      expect(late.received()).toMatch(/^HTTP\/1\.1 200 /);
    });
  });
});
