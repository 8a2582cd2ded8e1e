import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ServiceEvent } from '../../../src/docs/events/index.ts';
import { deliveryId } from '../../../src/docs/webhooks/deliveries.ts';
import { seededRandom } from '../../../src/testkit/crash/random.ts';
import { WriteModel } from '../../../src/testkit/crash/write-model.ts';
import { Writers } from '../../../src/testkit/crash/writers.ts';
import { DocsProcess } from '../../../src/testkit/docs-process.ts';
import { HttpClient } from '../../../src/testkit/http-client.ts';
import { eventually } from '../../../src/testkit/runs-faults/eventually.ts';
import { type Received, WebhookEndpoint } from '../../../src/testkit/webhook-endpoint.ts';

const ROUNDS = Number(process.env['QUIRE_WEBHOOK_ROUNDS'] ?? 3);
const SEED = Number(process.env['QUIRE_CRASH_SEED'] ?? 4711);
const WRITES_PER_ROUND = 8;

let folder: string;
let database: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-webhooks-'));
  database = join(folder, 'quire.db');
});
afterEach(async () => {
  await DocsProcess.killAll();
  await rm(folder, { recursive: true, force: true });
});

/** The deliveries that a webhook must receive, by their ids: the number of the change and its document. */
function expectedDeliveries(webhook: string, since: number): Map<string, { lsn: number; docId: string }> {
  const sql = new DatabaseSync(database, { readOnly: true });
  try {
    const rows = sql.prepare(
      "SELECT lsn, doc_id, collection, at FROM changes WHERE lsn > ? AND (kind IN ('doc.put', 'doc.delete') OR " +
        "kind = 'collection.delete')",
    ).all(since) as { lsn: number; doc_id: string | null; collection: string; at: number }[];
    return new Map(
      rows.map((
        { lsn, doc_id: docId, collection, at },
      ) => [deliveryId({ id: webhook }, { seq: lsn, timestamp: Math.floor(at / 1000) } as ServiceEvent), {
        lsn,
        docId: docId ?? collection,
      }]),
    );
  } finally {
    sql.close();
  }
}

/** Number of the newest change. */
function head(): number {
  const sql = new DatabaseSync(database, { readOnly: true });
  const { lsn } = sql.prepare('SELECT max(lsn) AS lsn FROM changes').get() as { lsn: number };
  sql.close();
  return lsn;
}

describe('webhooks of a server that is killed, and of an endpoint that is, while clients write', () => {
  it(`lose and invent nothing and keep the order of each document, in ${ROUNDS} rounds from seed ${SEED}`, async () => {
    const random = seededRandom(SEED);
    // Kills come an arbitrary time after some writes: a time alone would be over before them on a busy machine.
    const someTime = (least: number, most: number) => setTimeout(random.integer(least, most));
    const model = new WriteModel();
    let endpoint = await WebhookEndpoint.open();
    const { port, url: hook } = endpoint;
    // The deliveries that arrived in each lifetime of server and endpoint, in order.
    const lives: (readonly Received[])[] = [];
    let started = await DocsProcess.serve(database);
    const client = new HttpClient(started.url);
    const webhook =
      (await client.post('/v1/webhooks', { url: hook, events: ['*', 'collection.deleted'] })).json<{ id: string }>().id;
    client.close();
    const since = head();
    for (let round = 1; round <= ROUNDS; round++) {
      const writers = new Writers({ url: started.url, model, seed: random.integer(0, 2 ** 31), count: 8 });
      const goal = model.acknowledgements + WRITES_PER_ROUND;
      await eventually('writes', () => model.acknowledgements >= goal || undefined);
      await someTime(50, 400);
      await endpoint.close();
      lives.push(endpoint.received);
      await someTime(0, 200);
      endpoint = await WebhookEndpoint.open(port);
      await someTime(50, 400);
      await started.server.end('SIGKILL');
      await writers.stop();
      lives.push(endpoint.received.splice(0));
      started = await DocsProcess.serve(database);
    }
    const expected = expectedDeliveries(webhook, since);
    const arrived = new Set(lives.flat().map(({ body }) => body.deliveryId));
    const missing = () => [...expected.keys()].filter((id) => !arrived.has(id));
    for (let seen = 0; missing().length > 0; seen = endpoint.received.length) {
      await endpoint.until(seen + 1);
      for (const { body } of endpoint.received) arrived.add(body.deliveryId);
    }
    lives.push([...endpoint.received]);
    await started.server.end();
    await endpoint.close();

    expect([...arrived].filter((id) => !expected.has(id)), 'invented').toEqual([]);
    expect(expected.size).toBeGreaterThanOrEqual(ROUNDS * WRITES_PER_ROUND);
    const known = new Set<string>();
    const first = lives.flat().filter(({ body }) => !known.has(body.deliveryId) && known.add(body.deliveryId));
    for (const life of [...lives, first]) {
      for (const [docId, own] of Map.groupBy(life, ({ body }) => expected.get(body.deliveryId)!.docId)) {
        const order = own.map(({ body }) => expected.get(body.deliveryId)!.lsn);
        expect(order, docId).toEqual(order.toSorted((a, b) => a - b));
      }
    }
  }, 60_000 * (1 + ROUNDS));
});
