// The queue with a million finished runs: pages of runs, queueing, assigning, completing and renewing, all in process
// and on a file that is synced. Latencies are measured, because a long history must not slow down new runs. Alone:
// `node bench/run-queue/history.ts`.
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { parseRunsConfig } from '../../src/runs/config/index.ts';
import type { RunsEnvironment } from '../../src/runs/environment.ts';
import type { Claim, ListFilter, Worker } from '../../src/runs/queue/index.ts';
import { assembleQueue, type QueueParts } from '../../src/runs/queue/queue.ts';
import { migrate, openDatabase, RUN_QUEUE_MIGRATIONS, type Sql } from '../../src/storage/index.ts';
import { newRun } from '../../src/testkit/runs-queue.ts';
import { progress } from '../support/progress.ts';
import { scaled } from '../support/scale.ts';
import { ROOT } from '../support/server.ts';
import { figure, renderSection, type Section } from '../support/table.ts';

const PROJECTS = 20;
/** Together with the projects, these result in 300 lanes. */
const TASKS = 150;
const DAY = 86_400;

export async function benchRunHistory(folder: string): Promise<Section[]> {
  const history = Math.round(scaled(1_000_000, 1000));
  const sql = await openDatabase({ path: join(folder, 'runs.db') });
  await migrate(sql, RUN_QUEUE_MIGRATIONS);
  progress(`writing ${history} finished runs`);
  await writeHistory(sql, history);
  const size = await sql.sizeBytes();
  const parts = assembleQueue({ env: environment(sql), note: async () => {} });
  await parts.load();
  const rows = [...(await lists(parts, history)), ...(await work(parts, sql))];
  await sql.close();
  return [{
    title: `Run queue with ${history.toLocaleString('en-US')} finished runs`,
    header: ['what', 'p50', 'p99', 'a second'],
    rows,
    notes: [
      `In process, without logs; the database has ${
        figure(size / 2 ** 20)
      } MiB. "A second" is what one caller after the other gets, each waiting for the disk where something is written.`,
      'The target for a page is 20 ms at the 99th percentile.',
    ],
  }];
}

function environment(sql: Sql): RunsEnvironment {
  const projects = Array.from({ length: PROJECTS }, (_, n) => `  - {id: p${n}, repository: org/p${n}}`);
  const config = parseRunsConfig(`projects:\n${projects.join('\n')}\n`);
  const loaded = { config, apiTokens: [], source: 'bench', folder: '/', readOnly: false, hash: '' };
  return {
    sql,
    clock: systemClock,
    timer: { sleep: async () => {} },
    log: silentLog,
    nodeId: 'bench',
    version: '0',
    config: { current: () => loaded, onChange: () => () => {} },
  };
}

/** Inserts directly into the tables, 20,000 at a time: a year of runs of all projects, kinds and results. */
async function writeHistory(sql: Sql, count: number): Promise<void> {
  const begin = Math.floor(Date.now() / 1000) - 365 * DAY;
  for (let first = 0; first < count; first += 20_000) {
    await sql.transaction(async (tx) => {
      const last = Math.min(count, first + 20_000) - 1;
      await tx.run(`WITH RECURSIVE n(i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i < ?)
        INSERT INTO runs(id, project_id, kind, task, state, attempt, max_attempts, priority, runs_on, source, origin, lane_id, fence, ship_id, accepted,
          created_at, updated_at, started_at, finished_at, queued_ms, available_ms, lease_ms, renewed_ms, deadline_ms, timeout_ms, root_id, retry_number)
        SELECT printf('%032x', i), 'p' || (i * 7 % ${PROJECTS}), CASE i % 10 WHEN 0 THEN 'diagnostic' WHEN 1 THEN 'ai_text' ELSE 'pipeline' END, 'build',
          CASE i % 20 WHEN 3 THEN 'failed' WHEN 4 THEN 'cancelled' ELSE 'succeeded' END, 1, 3, 0, '["os=linux"]', 'api', '{"by":"api"}', 1, 1, '0123456789abcdef0123456789abcdef', 1,
          ? + i * 30, ? + i * 30 + 60, ? + i * 30 + 5, ? + i * 30 + 60, 0, 0, 0, 0, 0, 3600000, printf('%032x', i), 0 FROM n`,
        [first, last, begin, begin, begin, begin]);
      await tx.run('INSERT INTO run_material SELECT seq, \'{"ref":"main"}\', 1, 1 FROM runs WHERE seq > ? ORDER BY seq',
        [first]);
      await tx.run(
        'INSERT INTO attempts(seq, fence, attempt, ship_id, started_at, ended_at, outcome, reported) SELECT seq, ' +
          "1, 1, ship_id, started_at, finished_at, 'succeeded', 1 FROM runs WHERE seq > ?",
        [first],
      );
    });
  }
}

async function lists({ queue }: QueueParts, history: number): Promise<string[][]> {
  const filters: [string, ListFilter][] = [['no filter', {}], ['one project', { projectId: 'p3' }], ['one state', {
    state: 'failed',
  }], ['a state that none has', { state: 'cancelling' }], ['project, state and kind', {
    projectId: 'p3',
    state: 'failed',
    kind: 'pipeline',
  }]];
  const rows: string[][] = [];
  for (const [name, filter] of filters) {
    rows.push(await measure(`page of 100 anywhere, ${name}`, Math.round(scaled(1000, 50)), async (n) => {
      const at = Math.floor(Date.now() / 1000) - ((n * 7919) % (365 * DAY));
      await queue.list(filter, { createdAt: at, id: 'f' }, Math.min(101, history));
    }));
  }
  rows.push(await measure('numbers of all states', 5, async () => void (await queue.numbers())));
  return rows;
}

class Taker implements Worker {
  readonly shipId = 'ship';
  readonly sessionId = 'session';
  readonly labels = ['os=linux'];
  readonly kinds = ['pipeline'] as const;
  readonly keyVariables = [];
  room = 0;
  readonly claims: Claim[] = [];

  free(): number {
    return this.room;
  }

  assign(claim: Claim): void {
    this.room -= 1;
    this.claims.push(claim);
  }
}

async function work({ queue, dispatcher }: QueueParts, sql: Sql): Promise<string[][]> {
  const queued = Math.round(scaled(10_000, 400));
  const run = (n: number) =>
    newRun({
      projectId: `p${n % PROJECTS}`,
      task: `t${n % TASKS}`,
      runsOn: ['os=linux'],
      input: '{"ref":"main"}',
      inputIsJson: true,
    });
  const submit = (n: number) => sql.transaction((tx) => queue.insert(tx, run(n)));
  const taker = new Taker();
  queue.addWorker(taker);
  const claims = async (count: number) => {
    taker.room = count;
    await dispatcher.dispatch();
  };
  const rows = [await measure('queue one run', Math.round(scaled(2000, 100)), submit)];
  rows.push(
    await measure('queue 64 runs at once', Math.round(queued / 64), (n) =>
      Promise.all(Array.from({ length: 64 }, (_, i) => submit(n * 64 + i))), 64),
  );
  rows.push(
    await measure(`hand out one run of ${queued} in 300 lanes`, Math.round(scaled(1000, 100)), () => claims(1)),
  );
  rows.push(await measure('hand out 20 runs in one batch', Math.round(scaled(100, 5)), () => claims(20), 20));
  const refs = taker.claims.map(({ ref }) => ref);
  rows.push(await measure(`renew ${refs.length} leases`, 3, () => queue.renew('ship', refs), refs.length));
  rows.push(
    await measure('complete one run', Math.min(1000, refs.length), (n) =>
      queue.complete(refs[n]!, 'ship', { outcome: 'succeeded', started: true })),
  );
  return rows;
}

/** `each`: number of operations in one step. */
async function measure(what: string, steps: number, step: (n: number) => Promise<unknown>,
  each = 1): Promise<string[]>
{
  progress(what);
  const times: number[] = [];
  for (let n = 0; n < steps; n++) {
    const begun = performance.now();
    await step(n);
    times.push(performance.now() - begun);
  }
  const total = times.reduce((sum, time) => sum + time, 0);
  times.sort((a, b) => a - b);
  const at = (share: number) => `${figure(times[Math.min(times.length - 1, Math.floor(times.length * share))]!)} ms`;
  return [what, at(0.5), at(0.99), figure((steps * each * 1000) / total)];
}

if (import.meta.main) {
  const folder = await mkdtemp(join(ROOT, 'data-bench-'));
  try {
    console.log((await benchRunHistory(folder)).map(renderSection).join('\n'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
