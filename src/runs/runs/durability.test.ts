import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '../../testkit/http-client.ts';
import { RunsApi } from '../../testkit/runs-api.ts';

let folder: string;
let api: RunsApi | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-runs-'));
});
afterEach(async () => {
  await api?.stop();
  api = undefined;
  await rm(folder, { recursive: true, force: true });
});

const BODY = { project_id: 'beta', kind: 'diagnostic' };
const idOf = (answer: Answer) => answer.json<{ data: { id: string } }>().data.id;
const code = (answer: Answer) => [answer.status, answer.json<{ error: { code: string } }>().error.code];
const failure = (errcode: number) => Object.assign(new Error('a broken disk'), { errcode });

describe('a service that is started again', () => {
  it('knows the keys of the one before, and where its pages ended', async () => {
    const path = join(folder, 'runs.db');
    api = await RunsApi.start({ path });
    const ids = [await api.queued('the-first-key'), await api.queued('the-second-key')];
    const { next_cursor } = (await api.send('GET', '/runs?limit=1')).json<{ next_cursor: string }>();
    await api.stop();

    api = await RunsApi.start({ path });
    const again = await api.enqueue('the-first-key', BODY);
    expect([again.status, again.headers['idempotent-replayed'], idOf(again)]).toEqual([202, 'true', ids[0]]);
    expect(code(await api.enqueue('the-first-key', { ...BODY, task: 'disk' }))).toEqual([409, 'idempotency_conflict']);
    expect(
      (await api.send('GET', `/runs?before=${next_cursor}`)).json<{ data: { id: string }[] }>().data.map(({ id }) =>
        id
      ),
    ).toEqual([ids[0]]);
    expect((await api.send('GET', '/audit')).json<{ data: object[] }>().data.length).toBe(2);
  });
});

describe('a store on disk', () => {
  it('queues one run for 50 parallel requests under one key, and one each for others beside them (scenario 1)', async () => {
    const service = await RunsApi.start({ path: join(folder, 'runs.db') });
    api = service;
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => service.enqueue(i % 2 === 0 ? 'the-first-key' : `another-key-${i}`, BODY)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.filter((_, i) => i % 2 === 0).map(idOf)).size).toBe(1);
    expect(new Set(answers.map(idOf)).size).toBe(51);
  });

  it('finds keys, expired keys and audit entries by an index', async () => {
    api = await RunsApi.start({ path: join(folder, 'runs.db') });
    const queries = ['SELECT run_id FROM idempotency WHERE space = ? AND key_hash = ?',
      'SELECT key_hash FROM idempotency WHERE expires_at <= ? ORDER BY expires_at LIMIT ?',
      'SELECT seq FROM audit WHERE seq < ? AND action = ? ORDER BY seq DESC LIMIT ?',
      'SELECT seq FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?'];
    for (const query of queries) {
      const plan = await api.sql.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${query.replaceAll('?', '1')}`);
      expect(plan.map(({ detail }) => detail).join(), query).toMatch(/^SEARCH [^,]*$/);
    }
  });
});

describe('a store that fails', () => {
  let broken: number | undefined;
  const start = async () => {
    broken = undefined;
    const fail = (sql: string) => {
      if (broken !== undefined && /^(INSERT INTO runs|UPDATE runs)/.test(sql)) throw failure(broken);
    };
    api = await RunsApi.start({ path: join(folder, 'runs.db'), faults: { onStatement: fail } });
    return api;
  };

  it.each([[13, 500, 'enqueue_failed'], [11, 500, 'enqueue_failed'], [5, 503, 'storage_unavailable'], [14, 503,
    'storage_unavailable']])('returns for a run that could not be inserted, for SQLite %i, %i %s',
      async (errcode, status, expected) => {
        const service = await start();
        broken = errcode;
        const answer = await service.enqueue('the-first-key', BODY);
        expect([...code(answer), answer.headers['retry-after']]).toEqual([status, expected,
          status === 503 ? '1' : undefined]);
        expect(answer.text).not.toContain('disk');
        broken = undefined;
        expect((await service.enqueue('the-first-key', BODY)).headers['idempotent-replayed']).toBeUndefined();
      });

  it.each([[11, 500, 'storage_failed'], [5, 503, 'storage_unavailable']])(
    'returns for a cancel that could not be written, for SQLite %i, %i %s',
    async (errcode, status, expected) => {
      const service = await start();
      const id = await service.queued('the-first-key');
      broken = errcode;
      const answer = await service.send('POST', `/runs/${id}/cancel`);
      expect(code(answer)).toEqual([status, expected]);
      expect(answer.text).not.toMatch(/disk|database/);
      broken = undefined;
      expect((await service.send('POST', `/runs/${id}/cancel`)).status).toBe(200);
      expect((await service.send('GET', '/audit?action=cancel')).json<{ data: object[] }>().data.length).toBe(1);
    },
  );

  it('is counted', async () => {
    const service = await start();
    broken = 13;
    await service.enqueue('the-first-key', BODY);
    expect((await service.client.send('GET', '/metrics', {
      headers: { Authorization: 'Bearer a-token-of-many-characters' },
    })).text).toContain('quire_storage_errors_total 1');
  });

  it('returns 503 and when to come back while the service stops', async () => {
    const service = await start();
    const id = await service.queued('the-first-key');
    service.accepting = false;
    for (const [method, path] of [['GET', '/runs'], ['GET', `/runs/${id}`], ['POST', `/runs/${id}/retry`], ['GET',
      '/audit']] as const)
    {
      const answer = await service.send(method, path, { key: 'another-key' });
      expect([...code(answer), answer.headers['retry-after']], path).toEqual([503, 'storage_unavailable', '1']);
    }
    expect((await service.client.get('/healthz')).status).toBe(200);
  });
});

describe('expired keys', () => {
  it('are deleted in time, those of unfinished runs and young ones excepted', async () => {
    api = await RunsApi.start();
    const finished = await api.queued('finished-key');
    await api.queued('unfinished-key');
    await api.send('POST', `/runs/${finished}/cancel`);
    api.clock.ms += 31 * 86_400_000;
    await api.queued('a-young-key');
    api.runs.start();
    await api.runs.stop();
    expect(await api.sql.all('SELECT count(*) AS n FROM idempotency')).toEqual([{ n: 2 }]);
    expect((await api.enqueue('unfinished-key', BODY)).headers['idempotent-replayed']).toBe('true');
  });

  it('are deleted in batches until none is left', async () => {
    api = await RunsApi.start();
    const rows = Array.from({ length: 1203 },
      (_, i) => ['api', new Uint8Array([i >> 8, i & 255]), new Uint8Array(1), 'gone', 1]);
    await api.sql.transaction((tx) =>
      tx.runMany('INSERT INTO idempotency(space, key_hash, request_hash, run_id, expires_at) VALUES (?, ?, ?, ?, ?)',
        rows as never)
    );
    api.runs.start();
    while ((await api.sql.get<{ n: number }>('SELECT count(*) AS n FROM idempotency'))!.n > 0)
      await new Promise((resolve) => setImmediate(resolve));
  });
});
