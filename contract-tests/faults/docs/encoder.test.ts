import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GetVectorStatsResponse } from '../../../generated/docs/sdk/types.gen.ts';
import { isInstalled } from '../../../src/lib/files.ts';
import { seededRandom } from '../../../src/testkit/crash/random.ts';
import { DocsProcess } from '../../../src/testkit/docs-process.ts';
import { HttpClient } from '../../../src/testkit/http-client.ts';

const DOCUMENTS = 8;
/** Passages of a document. */
const PASSAGES = 2;
const ROUNDS = 1;
const SEED = Number(process.env['QUIRE_CRASH_SEED'] ?? 4711);
const BUILTIN = { SVC_EMBEDDING_PROVIDER: 'builtin', SVC_EMBEDDING_CHUNK_SIZE: '200' };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-encoder-killed-'));
});
afterAll(async () => {
  await DocsProcess.killAll();
  await rm(folder, { recursive: true });
});

async function serve(env: Record<string, string>): Promise<{ server: DocsProcess; client: HttpClient }> {
  const server = DocsProcess.run(['--http-addr', '127.0.0.1:0', '--db', join(folder, 'quire.db')], {
    env: { ...BUILTIN, ...env },
    cwd: folder,
  });
  return { server, client: new HttpClient(await server.listening()) };
}

async function encoded(client: HttpClient): Promise<number> {
  return (await client.get('/v1/vector-stats')).json<GetVectorStatsResponse>().collections['blog']?.encoded_chunks ?? 0;
}

/** A database that counts how often the encoder's vector of a passage is stored. */
async function writeDocuments(): Promise<void> {
  const { server, client } = await serve({});
  const sentences = (i: number) =>
    Array.from({ length: PASSAGES }, (_, n) =>
      `The lighthouse number ${i} has ${n} lamps to guide the ships${' that pass in the night'.repeat(5)}.`);
  const documents = Array.from({ length: DOCUMENTS },
    (_, i) => ({ key: `k${i}`, lang: 'en', contentMd: sentences(i).join('\n\n') }));
  expect((await client.post('/v1/add-batch', { collection: 'blog', documents })).status).toBe(200);
  await expect.poll(
    async () =>
      (await client.get('/v1/vector-stats')).json<GetVectorStatsResponse>().collections['blog']?.embedded_documents,
    { timeout: 15_000 },
  ).toBe(DOCUMENTS);
  client.close();
  await server.end();
  withDatabase((database) =>
    database.exec(`
    CREATE TABLE stored (ord INTEGER, chunk INTEGER);
    CREATE TRIGGER counted AFTER INSERT ON encoder_vectors BEGIN INSERT INTO stored VALUES (new.ord, new.chunk); END;
    CREATE TRIGGER counted_again AFTER UPDATE ON encoder_vectors BEGIN INSERT INTO stored VALUES (new.ord, new.chunk); END;`)
  );
}

function withDatabase<T>(use: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(folder, 'quire.db'));
  try {
    return use(database);
  } finally {
    database.close();
  }
}

describe.skipIf(!isInstalled('@huggingface/transformers'))(
  'the encoder of a server that is killed (skipped without the optional package @huggingface/transformers)',
  () => {
    it(`loses no vector that was reported, and makes no stored one again, from seed ${SEED}`, { timeout: 60_000 },
      async () => {
        const random = seededRandom(SEED);
        await writeDocuments();
        for (let round = 1; round <= ROUNDS + 1; round++) {
          const { server, client } = await serve({ SVC_EMBEDDING_RERANK: 'encoder' });
          const before = await encoded(client);
          const wanted = round > ROUNDS
            ? DOCUMENTS * PASSAGES
            : before + random.integer(1, Math.floor(DOCUMENTS * PASSAGES / (ROUNDS + 2)));
          await expect.poll(() => encoded(client), {
            timeout: 15_000,
            interval: 5,
            message: `round ${round}, from ${before} to ${wanted} vectors`,
          }).toBeGreaterThanOrEqual(wanted);
          const reported = await encoded(client);
          if (round <= ROUNDS) process.kill(server.pid, 'SIGKILL');
          client.close();
          await (round <= ROUNDS ? server.ended : server.end());
          expect(withDatabase((database) => database.prepare('SELECT count(*) AS n FROM encoder_vectors').get()!['n']))
            .toBeGreaterThanOrEqual(reported);
        }
        expect(withDatabase((database) =>
          database.prepare('SELECT count(*) AS n, count(DISTINCT ord * 1000 + chunk) AS passages FROM stored').get()
        )).toEqual({ n: DOCUMENTS * PASSAGES, passages: DOCUMENTS * PASSAGES });
      });
  },
);
