import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Forwarder, localOperations } from './forward.ts';

let folder: string;
let servers: Server[];
let forwarder: Forwarder;
/** What the primary received: the method, address, sender and body of each request. */
let received: (string | undefined)[][];

beforeEach(async () => {
  [servers, received] = [[], []];
  folder = await mkdtemp(join(tmpdir(), 'quire-forward-'));
  forwarder = new Forwarder({ socket: join(folder, 'primary.sock'), readAddress: () => '192.0.2.1' });
  await listen(async (request, response) => {
    received.push([request.method, request.url, request.headers['x-forwarded-for'] as string, await text(request)]);
    response.end('done');
  }, join(folder, 'primary.sock'));
});
afterEach(async () => {
  forwarder.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await rm(folder, { recursive: true });
});

async function listen(listener: RequestListener, at: string | number): Promise<Server> {
  const server = createServer(listener).listen(at);
  servers.push(server);
  await once(server, 'listening');
  return server;
}

const forward: RequestListener = (request, response) => forwarder.forward(request, response, () => undefined);

/** Sends bytes to a worker and returns everything that it sends until it closes the connection. */
async function send(bytes: string): Promise<string> {
  const worker = await listen(forward, 0);
  const socket = connect((worker.address() as AddressInfo).port);
  socket.write(bytes);
  return text(socket);
}

describe('Forwarder', () => {
  const inner = 'GET /inner HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.9\r\n\r\n';

  it.each(['GET', 'DELETE', 'POST'])('sends the body of %s as a body, although Connection names its length',
    async (method) => {
      const answers = await send(
        `${method} /outer HTTP/1.1\r\nHost: localhost\r\nConnection: close, Content-Length, Host\r\nContent-Length: ` +
          `${inner.length}\r\n\r\n${inner}`,
      );
      expect(answers).toMatch(/^HTTP\/1\.1 200 OK[^]*done$/);
      // The next request over the same connection would come after a hidden one.
      await send(`GET /last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      expect(received).toEqual([[method, '/outer', '192.0.2.1', inner], ['GET', '/last', '192.0.2.1', '']]);
    });

  it('opens no connection for a client that has left', async () => {
    let opened = 0;
    servers[0]!.on('connection', () => opened++);
    const worker = await listen(() => undefined, 0);
    const client = connect((worker.address() as AddressInfo).port);
    client.write('POST /left HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf');
    const [request, response] = await once(worker, 'request') as Parameters<RequestListener>;
    client.destroy();
    await once(response, 'close');
    forward(request, response);
    await send('GET /next HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect([opened, received]).toEqual([1, [['GET', '/next', '192.0.2.1', '']]]);
  });
});

it('workers answer reads of documents and searches, and nothing that writes or that only the primary knows', () => {
  const local = localOperations({ notesReads: false });
  const ids = local.map(({ id }) => id);
  expect(local.filter(({ effect }) => effect !== 'read')).toEqual([]);
  expect(ids).toEqual(
    expect.arrayContaining(['getDocument', 'searchDocuments', 'searchFullText', 'searchVectors', 'searchHybrid',
      'searchGeo', 'recallMemory']),
  );
  for (const id of ['addDocument', 'login', 'getCurrentUser', 'streamEvents', 'listAuditEvents', 'getHealth',
    'getMetrics', 'getVectorStats', 'getBulkIngest', 'queryTemporal', 'listWebhooks']) expect(ids).not.toContain(id);
  expect(localOperations({ notesReads: true }).map(({ id }) => id)).toEqual(ids.filter((id) => id !== 'getDocument'));
});
