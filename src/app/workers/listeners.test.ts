import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request as plainRequest, type RequestOptions } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAuthority } from '../../testkit/certificates.ts';
import { type DocsServer, startDocsServer } from '../../testkit/docs-server.ts';

/** Long, because processes are started. */
const TIME = { timeout: 120_000 };

let folder: string;
let ca: string;
let servers: DocsServer[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-listeners-'));
  const authority = await makeAuthority();
  const { cert, key } = await authority.issue('server');
  ca = authority.cert;
  await Promise.all([writeFile(join(folder, 'cert'), cert), writeFile(join(folder, 'key'), key)]);
  const tls = { SVC_TLS_ENABLED: 'true', SVC_TLS_CERT: join(folder, 'cert'), SVC_TLS_KEY: join(folder, 'key') };
  const common = {
    SVC_WORKERS: '2',
    SVC_GRPC_ENABLED: 'false',
    SVC_MCP_ENABLED: 'false',
    SVC_TRUSTED_PROXIES: '192.0.2.0/24',
  };
  servers = await Promise.all([startDocsServer({ env: { ...common, ...tls } }),
    startDocsServer({ env: { ...common, SVC_HTTP_ADDR: `unix:${join(folder, 'http.sock')}` } })]);
}, TIME.timeout);
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await rm(folder, { recursive: true });
}, TIME.timeout);

/** A response over a connection of its own. */
async function exchange(server: DocsServer, path: string,
  body?: object): Promise<{ status: number | undefined; headers: IncomingMessage['headers']; text: string }>
{
  const options: RequestOptions = {
    method: body === undefined ? 'GET' : 'POST',
    agent: false,
    headers: { 'Content-Type': 'application/json' },
  };
  const sent = server.url.startsWith('unix:')
    ? plainRequest({ ...options, socketPath: server.url.slice('unix:'.length), path })
    : request(server.url + path, { ...options, ca });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = await once(sent, 'response') as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, text: (await answer.toArray()).join('') };
}

describe.each([['TLS', 0], ['a unix socket', 1]])('several processes over %s', TIME, (_, at) => {
  it('respond alike, whichever takes a connection', async () => {
    const server = servers[at]!;
    await expect.poll(async () => (await exchange(server, '/metrics')).text, { timeout: 60_000 }).toContain(
      'svc_workers{state="ready"} 2',
    );
    const names = { collection: 'c', key: 'k', lang: 'en' };
    for (let i = 0; i < 3; i++) {
      expect((await exchange(server, '/v1/add', { ...names, contentMd: `# ${i}` })).status).toBe(200);
      const reads = [await exchange(server, '/v1/get', names), await exchange(server, '/v1/get', names)];
      expect(reads.map(({ status, text }) => [status, text.includes(`# ${i}`)])).toEqual([[200, true], [200, true]]);
      const secure = (await Promise.all([exchange(server, '/v1/add', names), ...[0, 1].map(() =>
        exchange(server, '/v1/get', names)
      )])).map(({ headers }) =>
        'strict-transport-security' in headers
      );
      expect(secure).toEqual(secure.map(() => at === 0));
    }
  });
});
