import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../../../generated/docs/sdk/types.gen.ts';
import { silentLog } from '../../../lib/log.ts';
import { ManualTimer } from '../../../testkit/manual-timer.ts';
import { Exporter, Refused, type Sink } from './exporter.ts';
import { syslogMessage, syslogSink, webhookSink } from './sinks.ts';

const event = (resource = '/v1/add', fields: Partial<AuditEvent> = {}): AuditEvent => ({
  ts: 1_766_400_000_123 * 1e6,
  actor: 'alice',
  action: 'write./v1/add',
  resource,
  result: 'ok',
  ip: '192.0.2.1',
  userAgent: 'curl/8',
  ...fields,
});

const closers: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function listening<S extends Server>(server: S, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function exporterOf(sink: Sink, bufferSize = 10): { exporter: Exporter; timer: ManualTimer } {
  const timer = new ManualTimer();
  const exporter = new Exporter({ sink, bufferSize, log: silentLog, timer, graceMs: 1000 });
  closers.push(() => exporter.stop());
  return { exporter, timer };
}

/** Resolves when a condition holds; it is checked at each turn of the event loop. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

describe('the webhook exporter', () => {
  async function receiver(
    answer: (count: number) => number,
  ): Promise<{ url: string; requests: { headers: IncomingMessage['headers']; body: AuditEvent }[] }> {
    const requests: { headers: IncomingMessage['headers']; body: AuditEvent }[] = [];
    const server = createHttpServer((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (piece: string) => (text += piece)).on('end', () => {
        requests.push({ headers: request.headers, body: JSON.parse(text) as AuditEvent });
        response.writeHead(answer(requests.length), { Location: '/elsewhere' }).end('thanks');
      });
    });
    closers.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return { url: `http://127.0.0.1:${await listening(server)}/events`, requests };
  }

  it('posts each event, in order, with the header that was asked for', async () => {
    const { url, requests } = await receiver(() => 204);
    const named = url.replace('http://', 'http://user:p%40ss@');
    const { exporter } = exporterOf(
      webhookSink({ url: `${named}?token=secret`, header: { name: 'X-Token', value: 'abc' }, version: '1' }),
    );
    for (const resource of ['a', 'b', 'c']) exporter.offer(event(resource));
    await until(() => requests.length === 3 && exporter.state.delivered === 3);
    expect(requests.map(({ body }) => body)).toEqual([event('a'), event('b'), event('c')]);
    expect(requests[0]!.headers).toMatchObject({
      'content-type': 'application/json',
      'x-token': 'abc',
      authorization: `Basic ${Buffer.from('user:p@ss').toString('base64')}`,
    });
    expect(exporter.state).toEqual({
      name: 'webhook',
      target: url,
      queued: 3,
      delivered: 3,
      failed: 0,
      dropped: 0,
      lastError: '',
      bufferSize: 10,
    });
  });

  it('tries again when the target is down, with growing waits, and gives up after four attempts', async () => {
    const { url, requests } = await receiver((count) => (count <= 5 ? 503 : 200));
    const { exporter, timer } = exporterOf(webhookSink({ url, version: '1' }));
    exporter.offer(event('a'));
    exporter.offer(event('b'));
    for (let i = 0; i < 4; i++) await timer.elapse(); // three attempts for the first event, one for the second
    await until(() => exporter.state.delivered === 1);
    expect(requests.map(({ body }) => body.resource)).toEqual(['a', 'a', 'a', 'a', 'b', 'b']);
    expect(exporter.state).toMatchObject({
      queued: 2,
      delivered: 1,
      failed: 1,
      dropped: 0,
      lastError: 'HTTP status 503',
    });
    const [first, second, third] = timer.sleeps as [number, number, number];
    expect(first).toBeLessThanOrEqual(1000);
    expect(second).toBeGreaterThan(first);
    expect(third).toBeGreaterThan(second);
  });

  it('does not repeat what the target refuses, and follows no redirect', async () => {
    const { url, requests } = await receiver((count) => (count === 1 ? 400 : 302));
    const { exporter } = exporterOf(webhookSink({ url, version: '1' }));
    exporter.offer(event());
    exporter.offer(event());
    await until(() => exporter.state.failed === 2);
    expect([requests.length, exporter.state.lastError]).toEqual([2, 'HTTP status 302']);
  });
});

describe('Exporter', () => {
  it('holds a bounded number of events: the oldest one makes room, and is counted', async () => {
    const sent: string[] = [];
    const gate = Promise.withResolvers<void>();
    const sink: Sink = {
      name: 'webhook',
      target: 't',
      close: async () => undefined,
      send: async ({ resource }) => {
        await gate.promise;
        sent.push(resource);
      },
    };
    const { exporter } = exporterOf(sink, 2);
    for (let i = 0; i < 6; i++) exporter.offer(event(`r${i}`));
    expect(exporter.state).toMatchObject({ queued: 6, dropped: 3 });
    gate.resolve();
    await until(() => exporter.state.delivered === 3);
    expect(sent).toEqual(['r0', 'r4', 'r5']);
  });

  it('gives what is left a last attempt when it stops, and ends when the sink hangs', async () => {
    let attempts = 0;
    const sink: Sink = {
      name: 'webhook',
      target: 't',
      close: async () => undefined,
      send: (_, signal) => {
        attempts++;
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('given up'))));
      },
    };
    const exporter = new Exporter({ sink, bufferSize: 10, log: silentLog, timer: new ManualTimer(), graceMs: 5 });
    for (let i = 0; i < 3; i++) exporter.offer(event());
    await exporter.stop();
    expect([attempts, exporter.state.failed]).toEqual([1, 3]);
    exporter.offer(event());
    expect(exporter.state.queued).toBe(3);
    expect(new Refused('x')).toBeInstanceOf(Error);
  });
});

describe('the syslog exporter', () => {
  const origin = { hostname: 'host.example', processId: 42 };

  it('writes RFC 5424, with every field escaped as section 6.3.3 says', () => {
    const hostile = event('/v1/"x"]\\y', { result: 'fail', userAgent: 'a\r\nb', actor: 'Zoë' });
    const message = syslogMessage(hostile, origin);
    expect(
      message.startsWith(
        '<132>1 2025-12-22T10:40:00.123Z host.example quire 42 audit [audit@32473 actor="Zoë" ' +
          'action="write./v1/add" resource="/v1/\\"x\\"\\]\\\\y" result="fail" ip="192.0.2.1" userAgent="a  b"] {',
      ),
    ).toBe(true);
    expect(message).not.toMatch(/[\r\n]/);
    const json = message.slice(message.indexOf('] {') + 2);
    expect(json).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(json)).toEqual(hostile);
    expect(syslogMessage(event(), { hostname: 'höst', processId: 1 })).toMatch(/^<134>1 \S+ hst quire 1 audit \[/);
  });

  it('sends a datagram for each event over UDP', async () => {
    const socket = createSocket('udp4');
    const messages: string[] = [];
    socket.on('message', (message) => messages.push(message.toString()));
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    closers.push(() => void socket.close());
    const { exporter } = exporterOf(syslogSink({ protocol: 'udp', host: '127.0.0.1', port: socket.address().port }));
    exporter.offer(event('a'));
    exporter.offer(event('b'));
    await until(() => messages.length === 2 && exporter.state.delivered === 2);
    expect(messages.map((message) => /resource="(.)"/.exec(message)?.[1]).sort()).toEqual(['a', 'b']);
    expect(exporter.state.target).toBe(`udp://127.0.0.1:${socket.address().port}`);
  });

  it('counts the octets of each message over TCP, and connects again when the server went away', async () => {
    let received = Buffer.alloc(0);
    const sockets = new Set<Socket>();
    const accept = (socket: Socket): void => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('data', (piece: Buffer) => (received = Buffer.concat([received, piece])));
    };
    const first = createServer(accept);
    const port = await listening(first);
    const { exporter, timer } = exporterOf(syslogSink({ protocol: 'tcp', host: '127.0.0.1', port }));
    exporter.offer(event('a', { actor: 'Zoë' }));
    exporter.offer(event('b'));
    await until(() => framesOf(received).length === 2);
    for (const socket of sockets) socket.destroy();
    first.close();
    await once(first, 'close');
    await until(() => exporter.state.delivered === 2);

    // Nothing listens: connections are refused until the server is started again.
    exporter.offer(event('c'));
    await until(() => timer.sleeps.length === 1 || exporter.state.delivered === 3);
    const second = createServer(accept);
    await listening(second, port);
    closers.push(() => {
      for (const socket of sockets) socket.destroy();
      second.close();
    });
    if (exporter.state.delivered < 3) await timer.elapse();
    exporter.offer(event('d'));
    await until(() => framesOf(received).some((message) => message.includes('resource="d"')));
    expect(framesOf(received).filter((message) => /resource="[abd]"/.test(message))).toHaveLength(3);
  });
});

/** The complete messages. */
function framesOf(bytes: Buffer): string[] {
  const messages: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(' ', at);
    const end = space + 1 + Number(bytes.toString('latin1', at, space));
    if (space < 0 || end > bytes.length) break;
    messages.push(bytes.toString('utf8', space + 1, end));
    at = end;
  }
  return messages;
}
