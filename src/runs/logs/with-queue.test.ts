import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../lib/log.ts';
import { RUN_QUEUE_MIGRATIONS, type Sql } from '../../storage/index.ts';
import { ManualTimer } from '../../testkit/manual-timer.ts';
import { openMigrated } from '../../testkit/migrated-database.ts';
import { newRun } from '../../testkit/runs-queue.ts';
import { parseRunsConfig } from '../config/index.ts';
import type { Claim, Completion } from '../queue/index.ts';
import { assembleQueue, type QueueParts } from '../queue/queue.ts';
import { createRunLogs, type RunLogsService } from './index.ts';
import { line, lines, SHIP } from './test-fixture.ts';

const CONFIG = `
projects: [{id: alpha, repository: org/alpha}]
queue: {run_retention: 2h}
logs: {attempt_events: 20}
`;

let sql: Sql;
let time: number;
let parts: QueueParts;
let logs: RunLogsService;
let handlers: ReturnType<RunLogsService['operations']>;
let timer: ManualTimer;
let claims: Claim[];

beforeEach(async () => {
  sql = await openMigrated({ path: ':memory:' }, RUN_QUEUE_MIGRATIONS);
  time = 1_766_400_000_000;
  timer = new ManualTimer();
  const loaded = { config: parseRunsConfig(CONFIG), apiTokens: [], source: '', folder: '/', readOnly: false, hash: '' };
  const env = {
    sql,
    timer,
    clock: { now: () => time },
    log: silentLog,
    nodeId: 'n',
    version: '0',
    config: { current: () => loaded, onChange: () => () => {} },
  };
  logs = createRunLogs({ env });
  parts = assembleQueue({ env, note: logs.note, lines: logs.lines, random: () => 0.5 });
  handlers = logs.operations(parts.queue, { record: async () => {} });
  await parts.load();
  await logs.start();
  claims = [];
  parts.queue.addWorker({
    shipId: SHIP,
    sessionId: 's',
    labels: [],
    kinds: ['pipeline'],
    keyVariables: [],
    free: () => 1,
    assign: (claim) => void claims.push(claim),
  });
});
afterEach(async () => {
  await logs.stop();
  await sql.close();
});

const DONE: Completion = { outcome: 'succeeded', started: true };

async function nextClaim(): Promise<Claim> {
  await parts.tick();
  await parts.dispatcher.dispatch();
  const claim = claims.shift()!;
  await parts.queue.accept(claim.ref, SHIP);
  return claim;
}

const submit = () => sql.transaction((tx) => parts.queue.insert(tx, newRun()));

async function list(id: string, attempt?: number) {
  const answer = await handlers.listRunLogs({ id, offset: 0, ...(attempt === undefined ? {} : { attempt }) },
    undefined as never);
  return 'value' in answer ? answer.value : answer;
}

describe('logs of runs in a real queue', () => {
  it('hold lines of server and ship in one order, until the attempt has ended', async () => {
    const { id } = await submit();
    const { ref } = await nextClaim();
    expect(await logs.append(ref, SHIP, 0, lines(3))).toEqual({ status: 'stored', nextSeq: 3 });
    expect((await list(id)).complete).toBe(false);
    await parts.queue.complete(ref, SHIP, DONE);
    expect((await logs.append(ref, SHIP, 3, lines(1))).status).toBe('fenced');
    const { data, complete } = await list(id);
    expect(complete).toBe(true);
    const system = data.filter(({ stream }) => stream === 'system').length;
    expect(system).toBeGreaterThanOrEqual(2);
    expect(data.filter(({ stream }) => stream === 'stdout').map(({ message }) => message)).toEqual(['line 0', 'line 1',
      'line 2']);
    expect((await parts.queue.get(id))!.logsBytes).toBe(Buffer.byteLength(data.map(({ message }) => message).join('')));
  });

  it('start over with each attempt, and the run reports the current one', async () => {
    const { id } = await submit();
    const first = await nextClaim();
    expect((await logs.append(first.ref, SHIP, 0, lines(30))).status).toBe('budget');
    expect((await parts.queue.get(id))!.logTruncated).toBe(true);
    await parts.queue.complete(first.ref, SHIP, { outcome: 'ship_error', started: true });
    expect(await parts.queue.get(id)).toMatchObject({ attempt: 2, logTruncated: false });
    time += 60_000;
    const second = await nextClaim();
    expect((await logs.append(second.ref, SHIP, 0, [line('again')])).status).toBe('stored');
    await parts.queue.complete(second.ref, SHIP, DONE);
    expect((await list(id, 1)).data.filter(({ level }) => level === 'warn').length).toBeGreaterThanOrEqual(1);
    expect((await list(id, 2)).data.map(({ message }) => message)).toContain('again');
    expect((await list(id, 1)).complete).toBe(true);
    const run = (await parts.queue.get(id))!;
    const all = [...(await list(id, 1)).data, ...(await list(id, 2)).data];
    expect(run.logsBytes).toBe(Buffer.byteLength(all.map(({ message }) => message).join('')));
    expect(run.logTruncated).toBe(false);
  });

  it('take the lines of the next ship from 0 when an attempt is assigned again under its number', async () => {
    const { id } = await submit();
    const first = await nextClaim();
    await logs.append(first.ref, SHIP, 0, [line('preparing')]);
    await parts.queue.complete(first.ref, SHIP, { outcome: 'returned', started: false });
    const second = await nextClaim();
    expect([second.ref.attempt, second.ref.fence > first.ref.fence]).toEqual([1, true]);
    expect(await logs.nextSeq(id, 1)).toBe(0);
    expect(await logs.append(second.ref, SHIP, 0, [line('preparing again')])).toEqual({ status: 'stored', nextSeq: 1 });
    const stdout = (await list(id)).data.filter(({ stream }) => stream === 'stdout').map(({ message }) => message);
    expect(stdout).toEqual(['preparing', 'preparing again']);
  });

  it('go with the run', async () => {
    const { id } = await submit();
    const { ref } = await nextClaim();
    await logs.append(ref, SHIP, 0, lines(3));
    await parts.queue.complete(ref, SHIP, DONE);
    time += 3 * 3_600_000;
    await parts.tick();
    expect(await parts.queue.get(id)).toBeUndefined();
    await timer.elapse();
    while ((await sql.all('SELECT 1 FROM log_attempts')).length > 0)
      await new Promise((resolve) => setImmediate(resolve));
    expect(await sql.all('SELECT 1 FROM log_chunks')).toEqual([]);
    expect(logs.totalBytes()).toBe(0);
  });
});
