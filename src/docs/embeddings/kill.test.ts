import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { GetVectorStatsResponse } from '../../../generated/docs/sdk/types.gen.ts';
import { DocsProcess } from '../../testkit/docs-process.ts';
import { HttpClient } from '../../testkit/http-client.ts';

const SETTINGS = { SVC_EMBEDDING_PROVIDER: 'builtin', SVC_EMBEDDING_QUEUE_SIZE: '100000' };

/** Milliseconds; on a busy machine a server takes many seconds to start. */
const PATIENCE = 60_000;
const SEVERAL_STARTS = 180_000;

let folder: string;
afterEach(async () => {
  await DocsProcess.killAll();
  await rm(folder, { recursive: true });
});

async function serve(env: Record<string, string> = SETTINGS): Promise<{ server: DocsProcess; client: HttpClient }> {
  const server = DocsProcess.run(['--http-addr', '127.0.0.1:0', '--db', join(folder, 'quire.db')], {
    env,
    cwd: folder,
  });
  return { server, client: new HttpClient(await server.listening()) };
}

/** A vector field of another provider. */
async function declare(client: HttpClient, field: string): Promise<void> {
  const { id } = (await client.post('/v1/embedding-configs', { name: field, provider: 'builtin' })).json<
    { id: string }
  >();
  const vectors = { [field]: { source: 'provider', embedding: id } };
  await client.post('/v1/collection-config', { collection: 'blog', vectors }, 'PUT');
}

const stats = async (client: HttpClient) => (await client.get('/v1/vector-stats')).json<GetVectorStatsResponse>();

describe('a server that is killed', () => {
  it('has vectors for everything that it acknowledged, once it has worked off what waited', async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-killed-'));
    const acknowledged = new Set<string>();
    for (let round = 0; round < 2; round++) {
      const { server, client } = await serve();
      // One field is declared before anything is written, the other while there is something to fill it with.
      const declared = declare(client, `field${round}`);
      if (round === 0) await declared;
      const write = async (writer: number): Promise<void> => {
        for (let i = 0;; i++) {
          const documents = Array.from({ length: 20 }, (_, n) => ({
            key: `${round}-${writer}-${i}-${n}`,
            lang: 'en',
            contentMd: `text ${round} ${writer} ${i} ${n} `.repeat(30),
          }));
          const answer = await client.post('/v1/add-batch', { collection: 'blog', documents });
          if (answer.status === 200) { for (const { key } of documents) acknowledged.add(key); }
          if (writer === 0 && i === 3) process.kill(server.pid, 'SIGKILL');
        }
      };
      await Promise.allSettled([declared, write(0), write(1), write(2)]); // each ends when its connection breaks
      await server.ended;
      client.close();
    }
    const { server, client } = await serve();
    await expect.poll(async () => (await stats(client)).queue.depth, { timeout: PATIENCE }).toBe(0);
    await declare(client, 'field1');
    const { blog } = (await stats(client)).collections;
    const filled = async () =>
      Object.values((await stats(client)).collections['blog']!.fields!).map(({ documents }) => documents);
    await expect.poll(filled, { timeout: PATIENCE }).toEqual([blog!.total_documents, blog!.total_documents]);
    expect(blog!.embedded_documents).toBe(blog!.total_documents);
    expect(blog!.total_documents).toBeGreaterThanOrEqual(acknowledged.size);
    expect(acknowledged.size).toBeGreaterThan(0);
    client.close();
    expect((await server.end()).code).toBe(0);
  }, SEVERAL_STARTS);
});

describe('a server with a provider', () => {
  it('starts and writes at once with a local model, which is loaded when it is needed', async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-local-'));
    const { server, client } = await serve({
      SVC_EMBEDDING_PROVIDER: 'local',
      SVC_EMBEDDING_MODEL: 'nobody/no-such-model',
      SVC_EMBEDDING_OFFLINE: 'true',
    });
    expect(await stats(client)).toMatchObject({ enabled: true, provider: 'local', queue: { depth: 0 } });
    expect((await client.post('/v1/add', { collection: 'blog', key: 'a', lang: 'en', contentMd: 'text' })).status).toBe(
      200,
    );
    // The model does not exist; the first use shows that, and the document stays queued.
    await expect.poll(async () => (await stats(client)).queue, { timeout: PATIENCE }).toMatchObject({
      depth: 1,
      last_error: expect.stringContaining('no-such-model') as string,
    });
    client.close();
    expect((await server.end()).code).toBe(0);
  }, SEVERAL_STARTS);

  it('does not start with settings that cannot work', async () => {
    folder = await mkdtemp(join(tmpdir(), 'quire-wrong-'));
    const env = { SVC_EMBEDDING_PROVIDER: 'builtin', SVC_EMBEDDING_DIMENSIONS: '3' };
    const { code, stderr } = await DocsProcess.run(['--http-addr', '127.0.0.1:0', '--db', join(folder, 'quire.db')], {
      env,
    }).ended;
    expect([code, stderr]).toEqual([78, expect.stringContaining('SVC_EMBEDDING_DIMENSIONS: ') as string]);
  });
});
