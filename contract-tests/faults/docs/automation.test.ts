import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deliveryId } from '../../../src/docs/automation/evaluation.ts';
import { seededRandom } from '../../../src/testkit/crash/random.ts';
import { DocsProcess } from '../../../src/testkit/docs-process.ts';
import { HttpClient } from '../../../src/testkit/http-client.ts';
import { eventually } from '../../../src/testkit/runs-faults/eventually.ts';
import { WebhookEndpoint } from '../../../src/testkit/webhook-endpoint.ts';

const ROUNDS = Number(process.env['QUIRE_AUTOMATION_ROUNDS'] ?? 2);
const SEED = Number(process.env['QUIRE_CRASH_SEED'] ?? 4711);
const WRITES_PER_ROUND = 12;

let folder: string;
let database: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-automation-'));
  database = join(folder, 'quire.db');
});
afterEach(async () => {
  await DocsProcess.killAll();
  await rm(folder, { recursive: true, force: true });
});

/** The deliveries that a trigger must make for documents that it finds, by their ids. */
function expectedDeliveries(rule: string): Set<string> {
  const sql = new DatabaseSync(database, { readOnly: true });
  try {
    const rows = sql.prepare("SELECT lsn, doc_id, at FROM changes WHERE kind = 'doc.put' AND key LIKE 'yes%'")
      .all() as { lsn: number; doc_id: string; at: number }[];
    return new Set(
      rows.map(({ lsn, doc_id: docId, at }) => deliveryId(rule, `${lsn}/${Math.floor(at / 1000)}`, docId)),
    );
  } finally {
    sql.close();
  }
}

/** Writes documents, half of which the trigger finds, until the server is gone. */
async function write(url: string, name: string, onWritten: () => void): Promise<void> {
  const client = new HttpClient(url, 1);
  try {
    for (let written = 0;; written++, onWritten()) {
      const key = `${written % 2 === 0 ? 'yes' : 'no'}-${name}-${written}`;
      await client.post('/v1/add', {
        collection: 'c',
        key,
        lang: 'en',
        contentMd: written % 2 === 0 ? 'the router is broken' : 'nothing of the kind',
      });
    }
  } catch {
    client.close();
  }
}

describe('a trigger of a server that is killed while clients write', () => {
  it(`loses and invents nothing, and logs each delivery once, in ${ROUNDS} rounds from seed ${SEED}`, async () => {
    const random = seededRandom(SEED);
    const endpoint = await WebhookEndpoint.open();
    let started = await DocsProcess.serve(database);
    const client = new HttpClient(started.url);
    const rule = (await client.post('/v1/automation', {
      type: 'trigger',
      name: 'T',
      collection: 'c',
      query: 'router AND broken',
      webhookUrl: endpoint.url,
    })).json<{ id: string }>().id;
    client.close();
    let written = 0;
    for (let round = 1; round <= ROUNDS; round++) {
      const writers = [1, 2, 3, 4].map((n) => write(started.url, `${round}-${n}`, () => written++));
      // Kills come an arbitrary time after some writes: a time alone would be over before them on a busy machine.
      const goal = written + WRITES_PER_ROUND;
      await eventually('writes', () => written >= goal || undefined);
      await setTimeout(random.integer(0, 600));
      await started.server.end('SIGKILL');
      await Promise.all(writers);
      started = await DocsProcess.serve(database);
    }
    const expected = expectedDeliveries(rule);
    expect(expected.size).toBeGreaterThanOrEqual(Math.floor(written / 2));
    const arrived = () => new Set(endpoint.received.map(({ headers }) => String(headers['x-svc-delivery'])));
    const reader = new HttpClient(started.url);
    const total = async () => (await reader.get('/v1/automation-logs?status=success')).json<{ total: number }>().total;
    await vi.waitFor(async () => {
      expect([...expected].filter((id) => !arrived().has(id)), 'lost').toEqual([]);
      expect(await total(), 'logged').toBe(expected.size);
    }, { timeout: 30_000, interval: 100 });
    expect([...arrived()].filter((id) => !expected.has(id)), 'invented').toEqual([]);
    reader.close();
    await started.server.end();
    await endpoint.close();
  }, 60_000 * (1 + ROUNDS));
});
