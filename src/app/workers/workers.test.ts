import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../../generated/docs/sdk/types.gen.ts';
import { type DocsServer, startDocsServer } from '../../testkit/docs-server.ts';
import type { Answer, HttpClient } from '../../testkit/http-client.ts';
import { clientsOf, serving } from '../../testkit/worker-clients.ts';

/** Long, because processes are started. */
const TIME = { timeout: 120_000 };
const PASSWORD = 'correct horse battery staple';

let server: DocsServer;
/** Of the primary and of the worker, in any order. */
let clients: HttpClient[];
let admin: Record<string, string>;

beforeAll(async () => {
  server = await startDocsServer({
    passwordCost: 4,
    env: {
      SVC_WORKERS: '2',
      SVC_AUTH_ENABLED: 'true',
      SVC_AUTH_JWT_SECRET: 'a secret of these tests that is long',
      SVC_AUTH_ADMIN_PASSWORD: PASSWORD,
      SVC_AUDIT_ENABLED: 'true',
      SVC_RATE_LIMIT_ENABLED: 'true',
      SVC_RATE_LIMIT_REQUESTS: '100000',
      SVC_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      SVC_GRPC_ENABLED: 'false',
      SVC_MCP_ENABLED: 'false',
    },
  });
  clients = await clientsOf(server, 2);
  const { token } = (await send(clients[0]!, '/v1/auth/login', { username: 'admin', password: PASSWORD }, {})).json<
    { token: string }
  >();
  admin = { Authorization: `Bearer ${token}` };
}, TIME.timeout);
afterAll(async () => {
  clients.forEach((client) => client.close());
  await server.stop();
}, TIME.timeout);

const send = (client: HttpClient, path: string, value: object,
  headers: Record<string, string> = admin): Promise<Answer> =>
  client.send('POST', path, {
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(value),
  });
const add = (client: HttpClient, collection: string, key: string, contentMd = `# ${key}`) =>
  send(client, '/v1/add', { collection, key, lang: 'en', contentMd });
const found = async (client: HttpClient, collection: string, query: string,
  headers: Record<string, string> = {}): Promise<number> =>
  (await send(client, '/v1/fts', { collection, query }, { ...admin, ...headers })).json<{ total: number }>().total;
const pairs = (): [HttpClient,
  HttpClient][] => [[clients[0]!, clients[1]!], [clients[1]!, clients[0]!], [clients[0]!, clients[0]!], [clients[1]!,
  clients[1]!]];

describe('several processes on one port', TIME, () => {
  it('find through any of them what was written through any of them, by its LSN', async () => {
    for (const [at, [writer, reader]] of pairs().entries()) {
      for (let i = 0; i < 4; i++) {
        const { headers } = await add(writer, 'anywhere', `word${at}x${i}`);
        expect(await found(reader, 'anywhere', `word${at}x${i}`, { 'X-Quire-Min-LSN': String(headers['x-quire-lsn']) }))
          .toBe(1);
      }
    }
  });

  it('find within one connection what it has written', async () => {
    for (const [at, client] of clients.entries()) {
      for (let i = 0; i < 8; i++) {
        expect((await add(client, 'kept', `own${at}x${i}`)).status).toBe(200);
        expect(await found(client, 'kept', `own${at}x${i}`)).toBe(1);
      }
    }
  });

  it('read a document as it was last acknowledged, whoever wrote it', async () => {
    for (let i = 0; i < 16; i++) {
      const [writer, reader] = pairs()[i % 4]!;
      const { checksum } = (await add(writer, 'rows', 'k', `version ${i}`)).json<{ checksum: string }>();
      expect((await send(reader, '/v1/get', { collection: 'rows', key: 'k', lang: 'en' })).json()).toMatchObject({
        contentMd: `version ${i}`,
        checksum,
      });
    }
  });

  it('know of configurations, schemas, synonyms and encryption at once', async () => {
    for (const [at, [writer, reader]] of pairs().entries()) {
      const collection = `configured${at}`;
      await writer.send('PUT', '/v1/collection-config', {
        headers: { 'Content-Type': 'application/json', ...admin },
        body: JSON.stringify({ collection, description: `text ${at}`, encrypted: true }),
      });
      const read = await reader.send('GET', `/v1/collection-config?collection=${collection}`, { headers: admin });
      expect(read.json()).toMatchObject({ configured: true, config: { encrypted: true } });
      const { headers } = await add(writer, collection, 'k', '# An automobile');
      await send(writer, '/v1/synonyms', { collection, term: 'car', synonyms: ['automobile'] });
      expect(await found(reader, collection, 'car', { 'X-Quire-Min-LSN': String(headers['x-quire-lsn']) })).toBe(1);
    }
  });

  it('accept a caller that one of them accepts, and none from the moment that a key is deleted', async () => {
    for (const [writer, reader] of pairs()) {
      const { keyHash, key } = (await send(writer, '/v1/auth/api-key', {})).json<{ keyHash: string; key: string }>();
      const read = () => send(reader, '/v1/get', { collection: 'rows', key: 'k', lang: 'en' }, { 'X-API-Key': key });
      expect((await read()).status).toBe(200);
      expect((await writer.send('DELETE', `/v1/auth/api-keys/${keyHash}`, { headers: admin })).status).toBeLessThan(
        300,
      );
      expect((await read()).status).toBe(401);
    }
  });

  it('count requests under one limit, and failed ones in one audit log', async () => {
    const left = async (client: HttpClient) =>
      Number(
        (await client.send('GET', '/v1/meta-keys?collection=rows', { headers: admin }))
          .headers['x-ratelimit-remaining'],
      );
    const counts = [await left(clients[0]!), await left(clients[1]!), await left(clients[0]!), await left(clients[1]!)];
    expect(counts).toEqual([0, 1, 2, 3].map((i) => counts[0]! - i));
    for (const client of clients)
      expect((await send(client, '/v1/get', { collection: 'rows', key: 'k', lang: 'en' }, {
        'X-API-Key': 'svc_live_nobody',
      })).status).toBe(401);
    const events = async () =>
      (await clients[0]!.send('GET', '/v1/audit?result=fail&action=auth.apikey', { headers: admin })).json<
        { events: AuditEvent[] }
      >().events.filter(({ resource }) => resource === '/v1/get');
    await expect.poll(async () => (await events()).length).toBeGreaterThanOrEqual(2);
  });

  it('have one set of metrics', async () => {
    const counted = async () =>
      Number(
        /svc_search_queries_total\{type="fts",algorithm="tfidf"\} (\d+)/.exec((await clients[0]!.get('/metrics')).text)
          ?.[1],
      );
    const before = await counted();
    for (let i = 0; i < 10; i++) for (const client of clients) await found(client, 'anywhere', 'nothing');
    expect(await counted()).toBe(before + 20);
    expect((await clients[1]!.get('/metrics')).text).toMatch(/svc_worker_memory_bytes\{worker="1"\} \d{7,}/);
  });

  it('pass on bodies that come in pieces, and streams of events', async () => {
    for (const [at, client] of clients.entries()) {
      const lines = Array.from({ length: 50 }, (_, i) =>
        JSON.stringify({ key: `line${i}`, lang: 'en', contentMd: 'x'.repeat(2000) }));
      const imported = await client.send('POST', `/v1/import?collection=imported${at}`, {
        headers: { 'Content-Type': 'application/x-ndjson', ...admin },
        body: lines.join('\n'),
      });
      expect(imported.text).toContain('50');
      const exported = await send(client, '/v1/export', { collection: `imported${at}`, format: 'ndjson' });
      expect([exported.status, exported.text.split('\n').filter((line) => line.includes('line'))]).toEqual([200,
        expect.objectContaining({ length: 50 })]);
    }
    await Promise.all([0, 1].map(() =>
      new Promise<void>((resolve, reject) => {
        const stream = request(`${server.url}/v1/events`, {
          headers: { Accept: 'text/event-stream', ...admin },
          agent: false,
        }, (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
            if (!text.includes('watched-key')) return;
            stream.destroy();
            resolve();
          });
          void add(clients[0]!, 'rows', 'watched-key').catch(reject);
        });
        stream.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? undefined : reject(error)))
          .end();
      })
    ));
  });

  it('refuse a body that is too large, and go on with the connection or close it', async () => {
    for (const client of clients) {
      const body = Buffer.alloc(33 * 2 ** 20, 0x20);
      const refused = await client.send('POST', '/v1/add', {
        headers: { 'Content-Type': 'application/json', ...admin },
        body,
      });
      expect([refused.status, refused.json<{ code: string }>().code]).toEqual([413, 'payload_too_large']);
    }
    clients.forEach((client) => client.close());
    clients = await clientsOf(server, 2);
    for (const client of clients) expect((await add(client, 'rows', 'after')).status).toBe(200);
  });

  it('follow a restore', async () => {
    const { checksum } = (await add(clients[0]!, 'restored', 'before', 'a badger')).json<{ checksum: string }>();
    const { backup } = (await send(clients[1]!, '/v1/backup', {})).json<{ backup: string }>();
    await add(clients[1]!, 'restored', 'after', 'a badger');
    expect((await send(clients[1]!, '/v1/restore', { from: backup })).status).toBe(200);
    for (const client of clients) {
      await expect.poll(async () => found(client, 'restored', 'badger'), { timeout: 20_000 }).toBe(1);
      expect((await send(client, '/v1/get', { collection: 'restored', key: 'after', lang: 'en' })).status).toBe(404);
      expect((await send(client, '/v1/get', { collection: 'restored', key: 'before', lang: 'en' })).json())
        .toMatchObject({ checksum });
    }
  });

  it('lose no more than what a worker had in hand when it is killed, and replace it', async () => {
    const [pid] = server.workerPids();
    const lanes = await clientsOf(server, 2);
    const failures: number[] = [0, 0];
    let answered = 0;
    const load = lanes.map(async (client, lane) => {
      for (let i = 0; i < 150; i++) {
        try {
          expect((await send(client, '/v1/get', { collection: 'restored', key: 'before', lang: 'en' })).status).toBe(
            200,
          );
          answered++;
        } catch {
          failures[lane]!++;
        }
        if (answered === 40) process.kill(pid!, 'SIGKILL');
      }
    });
    await Promise.all(load);
    expect(failures.every((count) => count <= 1), String(failures)).toBe(true);
    expect(answered).toBeGreaterThanOrEqual(298);
    lanes.forEach((client) => client.close());
    await serving(server.url, 2);
    expect(server.workerPids()).not.toContain(pid);
    expect(server.errors).toEqual([]);
  });

  // From here on, workers forward everything.
  it('respond from bodies in memory, which only one of them has', async () => {
    const configured = await clients[0]!.send('PUT', '/v1/collection-config', {
      headers: { 'Content-Type': 'application/json', ...admin },
      body: JSON.stringify({ collection: 'volatile', storageBackend: 'memory' }),
    });
    expect(configured.status).toBe(200);
    for (const client of clients) {
      await add(client, 'volatile', 'k', 'an otter');
      for (const reader of clients) {
        expect((await send(reader, '/v1/get', { collection: 'volatile', key: 'k', lang: 'en' })).json()).toMatchObject({
          contentMd: 'an otter',
        });
        expect(await found(reader, 'volatile', 'otter')).toBe(1);
      }
    }
  });

  it('finish what is in flight when the service stops', async () => {
    const uploads = await Promise.all([0, 1].map(async (at) => {
      const upload = request(`${server.url}/v1/import?collection=last${at}`, {
        method: 'POST',
        agent: false,
        headers: {
          'Content-Type': 'application/x-ndjson',
          'Transfer-Encoding': 'chunked',
          Expect: '100-continue',
          ...admin,
        },
      });
      const answered = once(upload, 'response') as Promise<[IncomingMessage]>;
      upload.flushHeaders();
      await once(upload, 'continue');
      return { upload, answered };
    }));
    const stopped = server.stop();
    for (const { upload } of uploads) upload.end('{"key":"k","lang":"en","contentMd":"late"}\n');
    for (const { answered } of uploads) {
      const [answer] = await answered;
      expect([answer.statusCode, (await answer.toArray()).join('')]).toEqual([200,
        expect.stringContaining('"added":1')]);
    }
    await stopped;
    expect(server.workerPids()).toEqual([]);
  });
});
