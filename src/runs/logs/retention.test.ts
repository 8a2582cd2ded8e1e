import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import type { RunRef } from '../queue/port.ts';
import { EXPIRED, HALF_REMOVED, OLDEST, WITHOUT_RUN } from './retention.ts';
import { lines, LogFixture, type LogLimits, SHIP } from './test-fixture.ts';

const DAY = 86_400_000;

let open: LogFixture[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((fixture) => fixture.close()));
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function started(limits: LogLimits = {}, options: { path?: string; runRetention?: number } = {}) {
  const timer = new ManualTimer();
  const fixture = await LogFixture.open(limits, { timer, ...options });
  open.push(fixture);
  return { fixture, timer, sweep: () => sweptBy(timer) };
}

/** Lets the time between two sweeps elapse, and waits for the end of the next one. */
async function sweptBy(timer: ManualTimer): Promise<void> {
  const sleeps = timer.sleeps.length;
  await timer.elapse();
  while (timer.sleeps.length === sleeps) await new Promise((resolve) => setImmediate(resolve));
}

const remove = (fixture: LogFixture, runId: string) =>
  fixture.sql.transaction((tx) => tx.run('DELETE FROM runs WHERE id = ?', [runId]));

const expired = expect.objectContaining({ code: 'logs_expired' });

describe('retention', () => {
  it('removes the logs of a run 30 days after its end, and the run says so', async () => {
    const { fixture, sweep } = await started();
    const ref = await fixture.newRun();
    await fixture.logs.append(ref, SHIP, 0, lines(350));
    fixture.clock.time += 5 * DAY;
    await fixture.end(ref, 'succeeded');
    fixture.clock.time += 30 * DAY - 1000;
    await sweep();
    expect((await fixture.read(ref)).messages).toHaveLength(351);
    fixture.clock.time += 1000;
    await sweep();
    await expect(fixture.list(ref)).rejects.toEqual(expired);
    await expect(fixture.list({ runId: ref.runId })).rejects.toEqual(expired);
    expect(await fixture.run(ref.runId)).toMatchObject({ logsExpired: true, logsBytes: 0 });
    expect([await fixture.chunkBytes(), fixture.logs.totalBytes()]).toEqual([0, 0]);
    await fixture.note(ref, 'too late');
    await expect(fixture.list(ref)).rejects.toEqual(expired);
  });

  it('counts from the end of each attempt: an earlier one expires alone', async () => {
    const { fixture, sweep } = await started();
    const first = await fixture.newRun();
    await fixture.logs.append(first, SHIP, 0, lines(10));
    const second = await fixture.end(first, 'queued');
    fixture.clock.time += DAY;
    await fixture.logs.append(second, SHIP, 0, lines(20));
    await fixture.end(second, 'failed');
    fixture.clock.time += 29 * DAY;
    await sweep();
    await expect(fixture.list(first)).rejects.toEqual(expired);
    expect((await fixture.read(second)).messages).toHaveLength(21);
    const run = (await fixture.run(first.runId))!;
    expect(run.logsExpired).toBe(false);
    expect(run.logsBytes).toBe(Buffer.byteLength((await fixture.read(second)).messages.join('')));
    fixture.clock.time += DAY;
    await sweep();
    await expect(fixture.list(second)).rejects.toEqual(expired);
  });

  it('leaves the logs of a run that still works alone, however silent it is', async () => {
    const { fixture, sweep } = await started();
    const ref = await fixture.newRun();
    await fixture.logs.append(ref, SHIP, 0, lines(10));
    fixture.clock.time += 90 * DAY;
    await sweep();
    expect((await fixture.read(ref)).messages).toHaveLength(10);
    expect((await fixture.logs.append(ref, SHIP, 10, lines(1))).status).toBe('stored');
  });

  it('removes what belongs to runs that are deleted, whether it had expired or not', async () => {
    const { fixture, sweep } = await started({}, { runRetention: 2 * DAY });
    const [gone, kept] = [await fixture.newRun(), await fixture.newRun()];
    for (const ref of [gone, kept]) {
      await fixture.logs.append(ref, SHIP, 0, lines(10));
      await fixture.end(ref, 'succeeded');
    }
    fixture.clock.time += 2 * DAY;
    await remove(fixture, gone.runId);
    await sweep();
    expect(await fixture.sql.all('SELECT run_id FROM log_attempts')).toEqual([{ run_id: kept.runId }]);
    expect(fixture.logs.totalBytes()).toBe(await fixture.chunkBytes());
    fixture.clock.time += 30 * DAY;
    await sweep();
    await expect(fixture.list(kept)).rejects.toEqual(expired);
    await remove(fixture, kept.runId);
    await sweep();
    expect(await fixture.sql.all('SELECT run_id FROM log_attempts')).toEqual([]);
  });

  it('goes on where a process that died had stopped', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quire-logs-'));
    folders.push(folder);
    const path = join(folder, 'runs.db');
    const { fixture } = await started({}, { path });
    const ref = await fixture.newRun();
    await fixture.logs.append(ref, SHIP, 0, lines(150));
    await fixture.sql.transaction((tx) => tx.run('UPDATE log_attempts SET phase = 1 WHERE run_id = ?', [ref.runId]));
    await expect(fixture.list(ref)).rejects.toEqual(expired);
    await fixture.close();
    open = [];
    const { fixture: again, sweep } = await started({}, { path });
    await sweep();
    expect([await again.chunkBytes(), again.logs.totalBytes()]).toEqual([0, 0]);
    await expect(again.list(ref)).rejects.toEqual(expired);
  });
});

describe('the budget of all logs', () => {
  it('removes the oldest logs of attempts that have ended when it is exceeded, and accepts all lines (scenario 23)', async () => {
    const { fixture } = await started({ total_budget: 3000 });
    const fill = async (ref: RunRef, bytes: number): Promise<void> => {
      while (fixture.logs.totalBytes() < bytes)
        expect(
          (await fixture.logs.append(ref, SHIP, await fixture.logs.nextSeq(ref.runId, ref.attempt), lines(100))).status,
        ).toBe('stored');
    };
    const [oldest, older, running] = [await fixture.newRun(), await fixture.newRun(), await fixture.newRun()];
    await fill(oldest, 1000);
    await fixture.end(oldest, 'succeeded');
    fixture.clock.time += 1000;
    await fill(older, 2000);
    await fixture.end(older, 'failed');
    fixture.clock.time += 1000;
    await fill(running, 3100);
    while (fixture.logs.totalBytes() > 3000) await new Promise((resolve) => setImmediate(resolve));
    await expect(fixture.list(oldest)).rejects.toEqual(expired);
    expect(await fixture.run(oldest.runId)).toMatchObject({ logsExpired: true, logsBytes: 0 });
    for (const ref of [older, running]) expect((await fixture.list(ref)).data).toHaveLength(100);
    expect(fixture.logs.totalBytes()).toBe(await fixture.chunkBytes());
  });

  it('leaves the logs of what runs alone', async () => {
    const { fixture } = await started({ total_budget: 1000 });
    const ref = await fixture.newRun();
    while (fixture.logs.totalBytes() < 1500)
      await fixture.logs.append(ref, SHIP, await fixture.logs.nextSeq(ref.runId, 1), lines(100));
    while (!fixture.logs.areFull()) await new Promise((resolve) => setImmediate(resolve));
    expect((await fixture.list(ref)).data).toHaveLength(100);
  });

  it('is not used up while there are logs to remove', async () => {
    const { fixture, timer } = await started({ total_budget: 1000 });
    expect(fixture.logs.areFull()).toBe(false);
    const ref = await fixture.newRun();
    while (fixture.logs.totalBytes() < 900)
      await fixture.logs.append(ref, SHIP, await fixture.logs.nextSeq(ref.runId, 1), lines(100));
    await fixture.end(ref, 'succeeded');
    const next = await fixture.newRun();
    // Once only: the first log may be removed at any moment from then on, and another one above the budget stays.
    await fixture.logs.append(next, SHIP, 0, lines(100));
    while (fixture.logs.totalBytes() > 1000) {
      // If the first log was over the budget by itself, the next check removes it.
      await timer.elapse();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(fixture.logs.areFull()).toBe(false);
  });

  it('is counted again at the start', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quire-logs-'));
    folders.push(folder);
    const path = join(folder, 'runs.db');
    const { fixture } = await started({}, { path });
    await fixture.logs.append(await fixture.newRun(), SHIP, 0, lines(500));
    const total = fixture.logs.totalBytes();
    expect(total).toBe(await fixture.chunkBytes());
    await fixture.close();
    open = [];
    expect((await started({}, { path })).fixture.logs.totalBytes()).toBe(total);
  });
});

describe('DELETE /api/v1/runs/{id}/logs', () => {
  const deleteLogs = (fixture: LogFixture, id: string): Promise<unknown> =>
    fixture.handlers.deleteRunLogs({ id }, { identity: { username: 'token:root' } } as never) as Promise<unknown>;

  it('removes the logs of all attempts, and the run says so; again is no error', async () => {
    const { fixture } = await started();
    const [first, other] = [await fixture.newRun(), await fixture.newRun()];
    for (const ref of [first, other]) await fixture.logs.append(ref, SHIP, 0, lines(250));
    const second = await fixture.end(first, 'queued');
    await fixture.logs.append(second, SHIP, 0, lines(10));
    await fixture.end(second, 'failed');
    await deleteLogs(fixture, first.runId);
    expect(fixture.audited).toEqual([['token:root', 'delete', first.runId]]);
    for (const ref of [first, second]) await expect(fixture.list(ref)).rejects.toEqual(expired);
    expect(await fixture.run(first.runId)).toMatchObject({ logsExpired: true, logsBytes: 0 });
    await deleteLogs(fixture, first.runId);
    while ((await fixture.sql.all('SELECT 1 FROM log_chunks WHERE run_id = ?', [first.runId])).length > 0)
      await new Promise((resolve) => setImmediate(resolve));
    expect((await fixture.list(other)).data).toHaveLength(100);
  });

  it('is refused for a run that has not ended, and for one that there is not', async () => {
    const { fixture } = await started();
    const ref = await fixture.newRun();
    await fixture.logs.append(ref, SHIP, 0, lines(5));
    await expect(deleteLogs(fixture, ref.runId)).rejects.toEqual(
      expect.objectContaining({ code: 'run_state_conflict', status: 409 }),
    );
    await expect(deleteLogs(fixture, '0'.repeat(32))).rejects.toEqual(
      expect.objectContaining({ code: 'run_not_found' }),
    );
    expect((await fixture.list(ref)).data).toHaveLength(5);
  });
});

describe('sweeping', () => {
  it('finds what has expired, and adds up what is stored, by an index', async ({ skip }) => {
    const { fixture } = await started();
    skip(fixture.sql.info.driver === 'postgres', 'PostgreSQL chooses its plans by how large the tables are');
    const plan = async (sql: string, params: number[]) =>
      (await fixture.sql.all(`EXPLAIN QUERY PLAN ${sql}`, params)).map(({ detail }) => detail).join('; ');
    expect(await plan('SELECT SUM(stored_bytes) FROM log_attempts WHERE phase < 2', [])).toContain(
      'COVERING INDEX log_attempts_by_age',
    );
    for (const [sql, params] of [[EXPIRED, [0, 0]], [OLDEST, []], [HALF_REMOVED, []], [WITHOUT_RUN, [0, 0]]] as const) {
      const text = await plan(sql, [...params]);
      expect(text).toContain('USING COVERING INDEX log_attempts_by_age');
      expect(text).not.toContain('TEMP B-TREE');
    }
  });
});
