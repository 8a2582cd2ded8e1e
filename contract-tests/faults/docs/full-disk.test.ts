import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { inspectOpenDatabase, inspectRemains } from '../../../src/testkit/crash/inspect-database.ts';
import { storedDocuments } from '../../../src/testkit/crash/stored-documents.ts';
import { WriteModel } from '../../../src/testkit/crash/write-model.ts';
import { Writers } from '../../../src/testkit/crash/writers.ts';
import { DocsProcess, MAIN } from '../../../src/testkit/docs-process.ts';
import { startDocsServer } from '../../../src/testkit/docs-server.ts';
import { type Answer, HttpClient } from '../../../src/testkit/http-client.ts';
import { WebhookEndpoint } from '../../../src/testkit/webhook-endpoint.ts';

const SEED = 7;
/**
 * A multiple of the 512 bytes in which `ulimit` counts; below the size at which the write-ahead log is checkpointed.
 */
const LIMIT = 3000 * 512;

let folder: string;
let database: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-full-'));
  database = join(folder, 'quire.db');
});
afterEach(async () => {
  await DocsProcess.killAll();
  await rm(folder, { recursive: true, force: true });
});

/**
 * A full disk, for any user and without a separate file system: no file of the process may grow beyond the limit, and a
 * write beyond it fails (Node ignores the accompanying signal). Only the soft limit is set, so that it can be raised
 * again.
 */
function serveWithFileLimit(bytes: number): DocsProcess {
  const script = `ulimit -S -f ${bytes / 512}; exec "$0" "$@"`;
  return DocsProcess.command('sh', ['-c', script, process.execPath, MAIN, 'docs', '--http-addr', '127.0.0.1:0', '--db',
    database]);
}

/** Writes until the server has rejected this many requests; returns the rejections. */
async function writeUntilRefused(url: string, model: WriteModel, refusals: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  const enough = Promise.withResolvers<void>();
  const writers = new Writers({
    url,
    model,
    seed: SEED,
    count: 8,
    onRefusal: (answer) => {
      answers.push(answer);
      if (answers.length >= refusals) enough.resolve();
    },
  });
  await enough.promise;
  await writers.stop();
  return answers;
}

function expectPlainFailures(answers: readonly Answer[]): void {
  for (const answer of answers) {
    // A batch reports its failed items in the body of a success; other requests fail as a whole.
    if (answer.status !== 200) expect([500, 503]).toContain(answer.status);
    const { error, errors } = answer.json<{ error?: string; errors?: string[] }>();
    expect(error ?? errors?.[0], answer.text).toMatch(/\S/);
    expect(answer.text).not.toMatch(/node_modules|\.ts:\d/);
  }
}

async function expectWrites(url: string): Promise<void> {
  const client = new HttpClient(url);
  const answer = await client.post('/v1/add', {
    collection: 'after',
    key: 'again',
    lang: 'en',
    contentMd: 'x'.repeat(50_000),
  });
  expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, expect.any(String)]);
  client.close();
}

describe('a server whose disk is full', () => {
  it('refuses writes, goes on reading, and after a restart with room has all that it acknowledged', async () => {
    const model = new WriteModel();
    const server = serveWithFileLimit(LIMIT);
    const url = await server.listening();
    expectPlainFailures(await writeUntilRefused(url, model, 40));
    expect(model.reconcile(await storedDocuments(url)), 'while the disk is full').toEqual([]);
    expect(model.acknowledgements).toBeGreaterThan(0);
    expect((await stat(`${database}-wal`)).size, 'the limit did not hold').toBeLessThanOrEqual(LIMIT);
    await server.end();
    expect((await inspectRemains(database)).faults).toEqual([]);

    const second = await DocsProcess.serve(database);
    expect(model.reconcile(await storedDocuments(second.url)), 'after the restart').toEqual([]);
    expect(inspectOpenDatabase(database).faults).toEqual([]);
    await expectWrites(second.url);
    await second.server.end();
  }, 60_000);

  const canLift = spawnSync('prlimit', ['--version']).status === 0;
  it.skipIf(!canLift)('writes again as soon as there is room, without a restart (needs prlimit of util-linux)',
    async () => {
      const model = new WriteModel();
      const server = serveWithFileLimit(LIMIT);
      const url = await server.listening();
      expectPlainFailures(await writeUntilRefused(url, model, 40));
      expect(spawnSync('prlimit', ['--pid', String(server.pid), '--fsize=unlimited:']).status).toBe(0);
      await expectWrites(url);
      const stored = await storedDocuments(url);
      expect(model.reconcile(stored)).toEqual([]);
      expect((await server.end()).code).toBe(0);
      expect((await inspectRemains(database)).faults).toEqual([]);
    }, 60_000);
});

describe('a server whose disk fails', () => {
  const named = (key: string) => ({ collection: 'notes', key, lang: 'en' });
  const document = (key: string) => ({ ...named(key), contentMd: `# ${key}` });

  it('returns 503, reports it in its health, and recovers when the disk does', async () => {
    let broken = false;
    const fail = () => {
      if (broken) throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
    };
    const server = await startDocsServer({ faults: { onCommit: fail } });
    const client = new HttpClient(server.url);
    expect((await client.post('/v1/add', document('before'))).status).toBe(200);

    broken = true;
    const refused = await client.post('/v1/add', document('during'));
    expect([refused.status, refused.json<{ code: string }>().code]).toEqual([503, 'unavailable']);
    expect((await client.post('/v1/get', named('before'))).status).toBe(200);
    const sick = await client.get('/health');
    expect([sick.status, sick.json()]).toEqual([503,
      expect.objectContaining({ status: 'unhealthy', error: expect.any(String) })]);

    broken = false;
    expect((await client.get('/health')).status).toBe(200);
    expect((await client.post('/v1/get', named('during'))).status).toBe(404);
    expect((await client.post('/v1/add', document('during'))).status).toBe(200);
    expect(inspectOpenDatabase(server.database).faults).toEqual([]);
    client.close();
    await server.stop();
  });

  it('refuses a whole group of concurrent writes whose common commit fails, and none of it is there', async () => {
    let failures = 0;
    const server = await startDocsServer({
      faults: {
        onCommit: () => {
          if (failures-- > 0) throw new Error('disk I/O error');
        },
      },
    });
    const client = new HttpClient(server.url, 20);
    const keys = Array.from({ length: 20 }, (_, i) => `key-${i}`);
    failures = 1;
    const answers = await Promise.all(keys.map((key) => client.post('/v1/add', document(key))));
    const found = await Promise.all(keys.map((key) => client.post('/v1/get', named(key))));
    expect(answers.map(({ status }) => status)).toContain(503);
    expect(found.map(({ status }) => status)).toEqual(answers.map(({ status }) => (status === 200 ? 200 : 404)));
    expect(inspectOpenDatabase(server.database).faults).toEqual([]);
    client.close();
    await server.stop();
  });

  it('notifies webhooks and triggers of stored documents, and of none that was refused, once the disk is back', async () => {
    let broken = false;
    const fail = () => {
      if (broken) throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
    };
    const endpoint = await WebhookEndpoint.open();
    const server = await startDocsServer({ faults: { onCommit: fail } });
    const client = new HttpClient(server.url);
    const watched = [
      await client.post('/v1/webhooks', { url: endpoint.url, collection: 'notes', events: ['doc.added'] }),
      await client.post('/v1/automation', {
        type: 'trigger',
        name: 'T',
        collection: 'notes',
        query: 'router',
        webhookUrl: endpoint.url,
      }),
    ];
    expect(watched.map(({ status }) => status)).toEqual([200, 201]);
    const add = async (key: string) => (await client.post('/v1/add', { ...named(key), contentMd: 'a router' })).status;
    expect(await add('before')).toBe(200);
    broken = true;
    expect(await add('refused')).toBe(503);
    broken = false;
    expect(await add('after')).toBe(200);
    // At least two for each, by the webhook and by the trigger: deliveries that could not be recorded as sent are sent
    // again.
    await vi.waitFor(
      () => expect(new Set(endpoint.received.map(({ headers }) => headers['x-svc-delivery'])).size).toBe(4),
      { timeout: 15_000 },
    );
    expect(new Set(endpoint.received.map(({ text }) => /before|after|refused/.exec(text)?.[0]))).toEqual(
      new Set(['before', 'after']),
    );
    client.close();
    await server.stop();
    await endpoint.close();
  });
});
