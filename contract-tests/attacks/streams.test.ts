import { status } from '@grpc/grpc-js';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encode, GrpcClient } from '../../src/testkit/grpc-client.ts';
import { INITIALIZE, mcpUrl, RawClient } from '../../src/testkit/mcp-clients.ts';
import { RunsServer } from '../../src/testkit/ship/runs-server.ts';
import { AccessServer, apiKey, bearer, type Credential } from '../support/access-server.ts';

/** How the permission for a stream ends, after it was opened with the credential. */
interface Ending {
  readonly name: string;
  open(access: AccessServer): Promise<Credential>;
  end(access: AccessServer): Promise<unknown>;
}

const DAYS = 86_400;

/** A credential in gRPC metadata. */
const metadataOf = (credential: Credential): Record<string, string> =>
  Object.fromEntries(Object.entries(credential).map(([name, value]) => [name.toLowerCase(), value]));

async function reader(access: AccessServer): Promise<string> {
  const token = await access.register('ann');
  await access.grant('ann', 'blog', 'read', 'write');
  return token;
}

const ENDINGS: readonly Ending[] = [{
  name: 'its token expires',
  open: async (access) => bearer(await reader(access)),
  end: async (access) => access.advance(3 * DAYS),
}, {
  name: 'its API key expires',
  open: async (access) => apiKey(await access.keyOf(await reader(access), { expiresAt: access.now + 60 })),
  end: async (access) => access.advance(61),
}, {
  name: 'its API key is deleted',
  open: async (access) => apiKey(await access.keyOf(await reader(access))),
  async end(access) {
    const ann = bearer(await access.login('ann'));
    const { keys } = (await access.send('GET', '/v1/auth/api-keys', ann)).json<{ keys: { keyHash: string }[] }>();
    await access.send('DELETE', `/v1/auth/api-keys/${keys[0]!.keyHash}`, ann);
  },
}, {
  name: 'its user is deleted',
  open: async (access) => bearer(await reader(access)),
  end: (access) => access.manage('DELETE', '/v1/auth/users/ann'),
}, {
  name: 'its user is disabled',
  open: async (access) => bearer(await reader(access)),
  async end(access) {
    await access.server.sql.transaction((tx) => tx.run("UPDATE users SET disabled = 1 WHERE username = 'ann'"));
    await access.grant('admin', 'elsewhere', 'read');
  },
}];

describe.each(ENDINGS)('when $name, a stream that is open ends', ({ open, end }) => {
  let access: AccessServer;
  let credential: Credential;
  const closers: (() => void)[] = [];
  beforeEach(async () => {
    access = await AccessServer.start();
    credential = await open(access);
  });
  afterEach(async () => {
    for (const close of closers.splice(0)) close();
    await access.stop();
  });

  function grpc(): GrpcClient {
    const client = new GrpcClient(access.server.listeners.grpc!.url);
    closers.push(() => client.close());
    return client;
  }

  it('over gRPC: Watch', async () => {
    const call = grpc().stream('Watch', { collection: 'blog' }, { metadata: metadataOf(credential) });
    await once(call.resume(), 'metadata');
    const failed = once(call, 'error');
    await end(access);
    expect((await failed)[0]).toMatchObject({ code: status.UNAUTHENTICATED, details: 'invalid token' });
  });

  it('over HTTP: the stream of events', async () => {
    const stream = await fetch(new URL('/v1/events?collection=blog', access.server.url), { headers: credential });
    expect(stream.status).toBe(200);
    const text = stream.text();
    await end(access);
    expect(await text).toMatch(/^retry: 3000\nid: \d+\n\n$/);
  });

  it('over MCP: the stream of a session, the session itself, and server-sent events', async () => {
    const url = mcpUrl(access.server);
    const raw = new RawClient(url);
    closers.push(() => raw.close());
    const id = (await raw.post(INITIALIZE, credential)).headers['mcp-session-id'] as string;
    const headers = { ...credential, Accept: 'text/event-stream' } as Record<string, string>;
    const streams = await Promise.all([fetch(url, { headers: { ...headers, 'Mcp-Session-Id': id } }),
      fetch(new URL('/sse', url), { headers })]);
    expect(streams.map((each) => each.status)).toEqual([200, 200]);
    await end(access);
    const texts = await Promise.all(streams.map((each) => each.text()));
    expect(texts[1]).toContain('event: endpoint');
    const counted = async () => ((await access.send('GET', '/health')).json<{ mcpSessions: unknown }>()).mcpSessions;
    await expect.poll(counted).toEqual({ sse: 0, streamable: 0 });
  });
});

describe('a stream of events', () => {
  it('ends when the server stops, and does not hold that up', async () => {
    const access = await AccessServer.start();
    const stream = await fetch(new URL('/v1/events', access.server.url), { headers: access.admin });
    const text = stream.text();
    await access.stop();
    expect(await text).toMatch(/^retry: /);
  });

  it('is no more than its head for HEAD, and leaves nothing open', async () => {
    const access = await AccessServer.start();
    for (let i = 0; i < 101; i++) expect((await access.send('HEAD', '/v1/events', access.admin)).status).toBe(200);
    await access.stop();
  });
});

describe('a stream of documents to add', () => {
  it('ends when the credential does, while the server waits for the next one, and reports what was written', async () => {
    const access = await AccessServer.start();
    const token = await reader(access);
    const client = new GrpcClient(access.server.listeners.grpc!.url);
    const { call, answer } = client.send('AddBatchStream', { metadata: metadataOf(bearer(token)) });
    const failure = answer.catch((error: unknown) => error);
    // More than the server collects before it writes.
    for (let i = 0; i <= 500; i++)
      call.write(
        encode('AddBatchStream', { collection: 'blog', document: { key: `k${i}`, lang: 'en', contentMd: 'A.' } }),
      );
    await expect.poll(
      async () =>
        (await access.send('POST', '/v1/get', access.admin, { collection: 'blog', key: 'k499', lang: 'en' })).status,
      { timeout: 10_000 },
    ).toBe(200);
    await access.manage('DELETE', '/v1/auth/users/ann');
    expect(await failure).toMatchObject({
      code: status.UNAUTHENTICATED,
      details: 'invalid token; 500 documents were written before',
    });
    client.close();
    await access.stop();
  });
});

describe('a key of MCP that is disabled', () => {
  let access: AccessServer;
  beforeAll(async () => (access = await AccessServer.start({ SVC_MCP_API_KEY_ENABLED: 'true' })));
  afterAll(() => access.stop());

  it('ends the streams and sessions that were opened with it, and no others', async () => {
    const make = (name: string) =>
      access.manage<{ key: string; fingerprint: string }>('POST', '/v1/mcp/keys', { name });
    const [one, other] = [await make('one'), await make('other')];
    const listen = async ({ key }: { key: string }) =>
      fetch(new URL('/sse', mcpUrl(access.server)), { headers: { ...apiKey(key), Accept: 'text/event-stream' } });
    const [ended, open] = [await listen(one), await listen(other)];
    await access.manage('POST', '/v1/mcp/keys/disable', { key: one.key });
    await ended.text();
    const counted = async () => ((await access.send('GET', '/health')).json<{ mcpSessions: unknown }>()).mcpSessions;
    await expect.poll(counted).toEqual({ sse: 1, streamable: 0 });
    await open.body!.cancel();
  });
});

describe('the log of a run that a token follows', () => {
  const TOKEN = 'a-token-for-one-project';
  let folder: string;
  let server: RunsServer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-streams-'));
    const step = 'echo begun; until test -e "$QUIRE_INPUT"; do sleep 0.05; done; echo late';
    const yaml = `
pipelines: [{name: wait, steps: [{name: one, run: '${step}'}]}]
tokens: [{name: ci, sha256: ${createHash('sha256').update(TOKEN).digest('hex')}, scopes: [read], projects: [alpha]}]`;
    server = await RunsServer.start({ folder, yaml, local: true });
  });
  afterAll(async () => {
    await server.service.stop();
    await rm(folder, { recursive: true });
  });

  async function configure(change: (yaml: string) => string): Promise<void> {
    const file = join(folder, 'runs.yaml');
    await writeFile(file, change(await readFile(file, 'utf8')));
    await server.service.reload();
  }

  it.each([['its projects are no longer those of the run',
    (yaml: string) =>
      yaml.replace('projects: [alpha]', 'projects: [beta]').replace(/^projects: .*$/m,
        'projects: [{id: alpha, repository: org/alpha}, {id: beta, repository: org/beta}]')], ['it is revoked',
    (yaml: string) => yaml.replace(/^tokens: .*$/m, '')]])('ends before its next line when %s', async (_, change) => {
      const go = join(folder, crypto.randomUUID());
      const id = await server.submit('wait', go);
      await expect.poll(() => server.output(id), { timeout: 10_000 }).toEqual(['begun']);
      const stream = await fetch(`${server.service.url}/api/v1/runs/${id}/logs/stream`, { headers: bearer(TOKEN) });
      expect(stream.status).toBe(200);
      const former = await readFile(join(folder, 'runs.yaml'), 'utf8');
      const decoder = new TextDecoder();
      let text = '';
      const read = (async () => {
        for await (const piece of stream.body!) text += decoder.decode(piece as Uint8Array, { stream: true });
      })().catch(() => undefined);
      await expect.poll(() => text, { timeout: 10_000 }).toContain('begun');
      await configure(change);
      await writeFile(go, '');
      await server.reached(id, 'succeeded');
      await read;
      expect(text).not.toMatch(/late|event: end/);
      await configure(() => former);
    });
});
