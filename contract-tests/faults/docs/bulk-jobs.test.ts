import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BulkIngestJob } from '../../../generated/docs/sdk/types.gen.ts';
import { inspectRemains } from '../../../src/testkit/crash/inspect-database.ts';
import { seededRandom } from '../../../src/testkit/crash/random.ts';
import { DocsProcess } from '../../../src/testkit/docs-process.ts';
import { HttpClient } from '../../../src/testkit/http-client.ts';

const KILLS = Number(process.env['QUIRE_BULK_KILLS'] ?? 10);
const DOCUMENTS = Number(process.env['QUIRE_BULK_DOCUMENTS'] ?? 6000);
const SEED = Number(process.env['QUIRE_CRASH_SEED'] ?? 20_262);

let folder: string;
let database: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-bulk-'));
  database = join(folder, 'quire.db');
});
afterEach(async () => {
  await DocsProcess.killAll();
  await rm(folder, { recursive: true, force: true });
});

describe('a server that is killed (SIGKILL) while it works off a job', () => {
  it(`has stored each of ${DOCUMENTS} documents once after ${KILLS} kills, from seed ${SEED}`, async () => {
    const random = seededRandom(SEED);
    let { server, url } = await DocsProcess.serve(database);
    const documents = Array.from({ length: DOCUMENTS },
      (_, i) => ({ key: `d${i}`, lang: 'en', contentMd: `# Document ${i}\n\n${'word '.repeat(20)}` }));
    const { id } = await once(url, (client) => client.post('/v1/bulk-ingest-job', { collection: 'bulk', documents }));
    for (let kill = 0; kill < KILLS; kill++) {
      // the kill must happen at an arbitrary time, so the test waits for a time instead of an event
      await setTimeout(random.integer(0, 60));
      await server.end('SIGKILL');
      expect((await inspectRemains(database)).faults, `kill ${kill}`).toEqual([]);
      ({ server, url } = await DocsProcess.serve(database));
    }
    await expect.poll(async () => (await chain(url, id)).at(-1)!.status, { timeout: 150_000 }).toBe('completed');
    const records = await chain(url, id);
    const interrupted = records.slice(0, -1);
    expect(interrupted.every(({ status, error }) => status === 'failed' && error === 'interrupted by restart')).toBe(
      true,
    );
    expect(records.every(({ processed, added }) => processed === added)).toBe(true);
    expect(records.reduce((sum, { added }) => sum + added, 0)).toBe(DOCUMENTS);
    await server.end();
    expect(counts(database)).toEqual({ documents: DOCUMENTS, puts: DOCUMENTS, revisions: DOCUMENTS, waiting: 0 });
  }, 240_000);
});

/** The records of a job and of those that continue it. */
async function chain(url: string, id: string): Promise<BulkIngestJob[]> {
  const record = await once(url, (client) => client.get(`/v1/bulk-ingest-job/${id}`));
  return [record, ...(record.continuedAs === undefined ? [] : await chain(url, record.continuedAs))];
}

async function once(url: string, ask: (client: HttpClient) => Promise<{ json<T>(): T }>): Promise<BulkIngestJob> {
  const client = new HttpClient(url);
  try {
    return (await ask(client)).json<BulkIngestJob>();
  } finally {
    client.close();
  }
}

function counts(file: string): Record<string, unknown> {
  const opened = new DatabaseSync(file, { readOnly: true });
  try {
    return {
      ...opened.prepare(
        `SELECT (SELECT count(*) FROM documents) AS documents, (SELECT count(*) FROM changes WHERE kind = 'doc.put') AS puts,
      (SELECT count(*) FROM revisions) AS revisions, (SELECT count(*) FROM bulk_documents) AS waiting`,
      ).get(),
    };
  } finally {
    opened.close();
  }
}
