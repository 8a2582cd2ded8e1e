import { status as grpcStatus } from '@grpc/grpc-js';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Environment } from '../../src/app/settings/index.ts';
import { type DocsServer, startDocsServer } from '../../src/testkit/docs-server.ts';
import { GrpcClient } from '../../src/testkit/grpc-client.ts';
import { type Answer, HttpClient } from '../../src/testkit/http-client.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const METADATA = 'http://169.254.169.254/latest/meta-data/iam/security-credentials/';

/** The server of an attacker, or a service of the internal network: it counts the requests that it receives. */
async function startVictim(
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) =>
    response.end('{"embeddings":[[1,0]]}'),
): Promise<{ port: number; calls: string[] }> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    request.resume();
    answer(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanups.push(() => (server.closeAllConnections(), server.close()));
  return { port: (server.address() as AddressInfo).port, calls };
}

async function start(env: Environment): Promise<{ server: DocsServer; client: HttpClient }> {
  const server = await startDocsServer({ env });
  const client = new HttpClient(server.url);
  cleanups.push(() => server.stop(), () => client.close());
  return { server, client };
}

const configure = (client: HttpClient, apiUrl: string, more: object = {}): Promise<Answer> =>
  client.post('/v1/embedding-configs', {
    name: 'n',
    provider: 'ollama',
    model: 'm',
    dimensions: 2,
    apiUrl,
    isDefault: true,
    ...more,
  });

/** A request that needs the provider, for two texts one after the other. */
const ask = (client: HttpClient): Promise<Answer> => client.post('/v1/classify', { text: 'anything', labels: ['one'] });

const errorOf = (answer: Answer): [number, string] => [answer.status, answer.json<{ error: string }>().error];

describe('an embedding provider that a user wants to store (decision D-21)', () => {
  let server: DocsServer;
  let client: HttpClient;
  beforeAll(async () => {
    server = await startDocsServer();
    client = new HttpClient(server.url);
  });
  afterAll(async () => {
    client.close();
    await server.stop();
  });

  it.each([[METADATA, 'a link-local address'], ['http://[fd00:ec2::254]/', 'an address of cloud metadata'], [
    'http://0.0.0.0:1/',
    'an unspecified address',
  ], ['http://10.0.0.1/', 'a private address'], ['http://192.168.1.1/', 'a private address'], [
    'http://[::ffff:10.0.0.1]/',
    'a private address',
  ], ['http://[fc00::1]/', 'a private address'], ['http://0xa9.0xfe.0xa9.0xfe/', 'a link-local address'], [
    'http://2852039166/',
    'a link-local address',
  ], ['http://0300.0250.1.1/', 'a private address']])('is not stored at %s, which is %s', async (apiUrl, what) => {
    const answer = await configure(client, apiUrl);
    expect(errorOf(answer)).toEqual([400,
      expect.stringMatching(new RegExp(`^apiUrl: the host \\S+ is at ${what}, which this server must not call$`))]);
    expect((await client.get('/v1/embedding-configs')).json()).toEqual({ configs: [] });
  });

  it.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'gopher://127.0.0.1:6379/_FLUSHALL',
    'http://user:pass@public.example/', 'http://public.example\r\nX: y/', 'javascript:1'])('is not stored at %j',
      async (apiUrl) => {
        expect((await configure(client, apiUrl)).status).toBe(400);
      });

  it.each(['/etc', '..', './x', '/proc/self/root', '../../etc/passwd', 'a/../..'])('is no folder of the server: %s',
    async (model) => {
      const answer = await configure(client, '', { provider: 'local', model, dimensions: 0 });
      expect(errorOf(answer)).toEqual([400, expect.stringMatching(/^model: expected a hub id/)]);
      expect(answer.text).not.toContain(server.folder);
    });

  it('is refused over gRPC as over REST', async () => {
    const grpc = new GrpcClient(server.listeners.grpc!.url);
    const config = { name: 'n', provider: 'ollama', model: 'm', dimensions: 2, apiUrl: METADATA };
    await expect(grpc.call('CreateEmbeddingConfig', config)).rejects.toMatchObject({
      code: grpcStatus.INVALID_ARGUMENT,
      details: expect.stringMatching(/^apiUrl: the host 169\.254\.169\.254 is at a link-local address/) as string,
    });
    grpc.close();
  });
});

describe('an embedding provider that a user has stored', () => {
  it('is not called where loopback is closed, by address or by name', async () => {
    const victim = await startVictim();
    const { client } = await start({ SVC_OUTBOUND_ALLOW_PRIVATE: 'false' });
    expect((await configure(client, `http://127.0.0.1:${victim.port}`)).status).toBe(400);
    const { status, ...answer } = await configure(client, `http://localhost:${victim.port}`);
    expect(status, answer.text).toBe(200);
    expect(errorOf(await ask(client))).toEqual([503,
      expect.stringMatching(/the host localhost is at a loopback address, which this server must not call$/)]);
    await client.post('/v1/add', { collection: 'blog', key: 'a', lang: 'en', contentMd: 'a' });
    expect((await client.get('/v1/embedding-configs')).json<{ configs: unknown[] }>().configs).toHaveLength(1);
    expect(victim.calls).toEqual([]);
  });

  it("is called where the operator's list names it", async () => {
    const victim = await startVictim();
    const { client } = await start({ SVC_OUTBOUND_ALLOW_PRIVATE: 'false', SVC_OUTBOUND_ALLOWLIST: '127.0.0.0/8' });
    expect((await configure(client, `http://127.0.0.1:${victim.port}`)).status).toBe(200);
    expect((await ask(client)).status).toBe(200);
    expect(new Set(victim.calls)).toEqual(new Set(['POST /api/embed']));
  });

  it.each([301, 302, 303, 307, 308])('leads nowhere else by a redirect (%i)', async (status) => {
    const inner = await startVictim();
    const outer = await startVictim((_, response) =>
      response.writeHead(status, { Location: `http://127.0.0.1:${inner.port}/admin` }).end()
    );
    const { client } = await start({});
    expect((await configure(client, `http://127.0.0.1:${outer.port}`)).status).toBe(200);
    expect((await ask(client)).status).toBe(503);
    expect(inner.calls).toEqual([]);
  });

  it('cannot be changed to an address that it could not be stored with', async () => {
    const { client } = await start({});
    const { id } = (await configure(client, 'http://localhost:9')).json<{ id: string }>();
    expect((await client.post(`/v1/embedding-configs/${id}`, { apiUrl: METADATA }, 'PUT')).status).toBe(400);
    expect((await client.get(`/v1/embedding-configs/${id}`)).json()).toMatchObject({ apiUrl: 'http://localhost:9' });
  });
});

describe('the provider that the operator names in the settings', () => {
  it('may be anywhere', async () => {
    const victim = await startVictim();
    const { client } = await start({
      SVC_OUTBOUND_ALLOW_PRIVATE: 'false',
      SVC_EMBEDDING_PROVIDER: 'local',
      SVC_EMBEDDING_API_URL: `http://127.0.0.1:${victim.port}`,
      SVC_EMBEDDING_MODEL: 'm',
      SVC_EMBEDDING_DIMENSIONS: '2',
    });
    expect((await ask(client)).status).toBe(200);
    expect(new Set(victim.calls)).toEqual(new Set(['POST /api/embed']));
  });

  it('is not what a user may copy into a configuration', async () => {
    const victim = await startVictim();
    const { client } = await start({
      SVC_OUTBOUND_ALLOW_PRIVATE: 'false',
      SVC_EMBEDDING_PROVIDER: 'local',
      SVC_EMBEDDING_API_URL: `http://localhost:${victim.port}`,
      SVC_EMBEDDING_MODEL: 'm',
      SVC_EMBEDDING_DIMENSIONS: '2',
    });
    expect((await configure(client, `http://localhost:${victim.port}`)).status).toBe(200);
    expect((await ask(client)).status).toBe(503);
    expect(victim.calls).toEqual([]);
  });
});

it('a list of hosts that holds none ends the start', async () => {
  await expect(startDocsServer({ env: { SVC_OUTBOUND_ALLOWLIST: 'good.example,http://bad' } })).rejects.toThrow(
    /SVC_OUTBOUND_ALLOWLIST: expected host names, .* got "http:\/\/bad"/,
  );
});
