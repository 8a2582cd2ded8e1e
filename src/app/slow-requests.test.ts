import { mkdtemp, rm } from 'node:fs/promises';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../testkit/docs-server.ts';
import { API_TOKEN, serveRuns } from '../testkit/runs-server.ts';

const BODY = 'Content-Length: 100000\r\n\r\n{"collection": ';

let folder: string;
let server: DocsServer;
let runs: Awaited<ReturnType<typeof serveRuns>>;
const sockets: Socket[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-slow-requests-'));
  [server, runs] = await Promise.all([
    startDocsServer({ env: { SVC_BODY_TIMEOUT: '1s', SVC_SLOW_BODIES: '3', SVC_TRUSTED_PROXIES: '127.0.0.0/8' } }),
    serveRuns({ folder, yaml: 'requests: {body_timeout: 1s, slow_bodies: 3}\n' }),
  ]);
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all([server.stop(), runs.service.stop()]);
  await rm(folder, { recursive: true });
});

/** Begins a request on a connection of its own; `ended` is what was received until it closed. */
function begin(url: string, head: string): { socket: Socket; ended: Promise<string> } {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  socket.write(`POST ${head.replace(' ', ' HTTP/1.1\r\nHost: localhost\r\n')}`);
  return { socket, ended: new Promise((resolve) => socket.once('close', () => resolve(text))) };
}

/** A stream of lines, which has no total time; `client` is told by a trusted proxy. */
const lines = (client: string) =>
  begin(server.url,
    `/v1/import?collection=c Content-Type: application/x-ndjson\r\nX-Forwarded-For: ${client}\r\n${BODY}`);

/** With what the run queue asks for before it reads a body. */
const json = (path: string): string =>
  `${path} Content-Type: application/json\r\nAuthorization: Bearer ${API_TOKEN}\r\nIdempotency-Key: ` +
  `slow-body-1\r\n${BODY}`;

describe('a body that is not complete in time', { timeout: 20_000 }, () => {
  it('is refused with 408, whichever protocol it belongs to, and the connection closes', async () => {
    const requests = [[server.url, '/v1/add'], [server.url, '/graphql'], [server.listeners.mcp!.url, '/mcp'], [
      runs.service.url,
      '/api/v1/runs',
    ]] as const;
    for (const text of await Promise.all(requests.map(([url, path]) => begin(url, json(path)).ended))) {
      expect(text).toMatch(
        /^HTTP\/1\.1 408 [^]*\r\nConnection: close\r\n[^]*the body of the request came too slowly: \d+ bytes in [\d.]+ s, and at least 65536 bytes a second are expected/,
      );
    }
  });

  it('ends a call of gRPC whose message does not come', async () => {
    const session = connectHttp2(`http://${server.listeners.grpc!.url}`);
    const stream = session.request({
      ':method': 'POST',
      ':path': '/quire.docs.v1.DocumentDB/Get',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const headers = await new Promise<Record<string, unknown>>((resolve) => stream.on('response', resolve));
    session.destroy();
    expect(headers).toMatchObject({
      'grpc-status': '4',
      'quire-code': 'request_timeout',
      'grpc-message': encodeURI('the message did not arrive within 1 s'),
    });
  });
});

describe('slow bodies of one client', { timeout: 20_000 }, () => {
  it('are refused with 429 beyond their number, and those of others are not', async () => {
    const own = Array.from({ length: 4 }, () => lines('192.0.2.1'));
    const others = Array.from({ length: 3 }, () => lines('192.0.2.2'));
    expect(await Promise.any(own.map(({ ended }) => ended))).toContain('rate_limited');
    expect([...own, ...others].filter(({ socket }) => socket.readyState === 'open')).toHaveLength(6);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });
});
