import { randomBytes } from 'node:crypto';
import type { Timer } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { RUN_QUEUE_MIGRATIONS, type Sql } from '../../storage/index.ts';
import { openMigrated } from '../../testkit/migrated-database.ts';
import { parseRunsConfig, type RunsConfig } from '../config/index.ts';
import type { Queue, RunChange, RunRecord, RunRef, RunState } from '../queue/port.ts';
import { createRunLogs, type RunLogsOptions, type RunLogsService } from './create-run-logs.ts';
import type { LogHandlers } from './handlers.ts';
import type { ShipLine } from './port.ts';

export const START = 1_766_400_000_000;
export const SHIP = 'a'.repeat(32);

/** Settings that these tests change. */
export type LogLimits = Partial<RunsConfig['logs']>;

/**
 * Logs over a database, with the parts of a queue that they need: rows of runs, fences, and notifications of changes.
 */
export class LogFixture {
  readonly clock = { time: START, now: () => this.clock.time };
  readonly sql: Sql;
  readonly logs: RunLogsService;
  readonly handlers: LogHandlers;
  /** Lines that were dropped. */
  dropped = 0;
  /** Actor, action and target of the entries of the audit log. */
  readonly audited: string[][] = [];
  readonly #listeners = new Set<(change: RunChange) => void>();

  constructor(sql: Sql, limits: LogLimits, timer: Timer, runRetention = 0, room?: RunLogsOptions['room']) {
    this.sql = sql;
    const base = parseRunsConfig('version: 1');
    const config = {
      ...base,
      logs: { ...base.logs, ...limits },
      queue: { ...base.queue, run_retention: runRetention },
    };
    const loaded = { config, apiTokens: [], source: '/runs.yaml', folder: '/', readOnly: false, hash: '' };
    const env = {
      sql,
      timer,
      clock: this.clock,
      log: silentLog,
      nodeId: 'node',
      version: '0.0.0',
      config: { current: () => loaded, onChange: () => () => {} },
    };
    const queue: Pick<Queue, 'get' | 'onChange'> = {
      get: (id) => this.run(id),
      onChange: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
    this.logs = createRunLogs({
      env,
      room,
      dropped: (events) => (this.dropped += events),
    });
    this.handlers = this.logs.operations(queue, {
      record: async (_, actor, action, target) => void this.audited.push([actor, action, target]),
    });
  }

  static async open(limits: LogLimits = {},
    { path = ':memory:', timer = never, runRetention = 0, room }: { path?: string; timer?: Timer; runRetention?: number;
      room?: RunLogsOptions['room'] } = {}): Promise<LogFixture>
  {
    const sql = await openMigrated({ path }, RUN_QUEUE_MIGRATIONS);
    const fixture = new LogFixture(sql, limits, timer, runRetention, room);
    await fixture.logs.start();
    return fixture;
  }

  async close(): Promise<void> {
    await this.logs.stop();
    await this.sql.close();
  }

  /** A run that the ship works on. */
  async newRun(): Promise<RunRef> {
    const id = randomBytes(16).toString('hex');
    await this.sql.transaction((tx) =>
      tx.run(
        `INSERT INTO runs(id, project_id, kind, task, state, attempt, max_attempts, priority, runs_on, source, origin, lane_id, fence, ship_id, accepted,
         created_at, updated_at, started_at, queued_ms, available_ms, lease_ms, renewed_ms, deadline_ms, timeout_ms, root_id, retry_number)
       VALUES (?, 'alpha', 'pipeline', 'build', 'running', 1, 3, 0, '[]', 'api', '{}', 1, 1, ?, 1, ?, ?, ?, 0, 0, 0, 0, 0, 0, ?, 0)`,
        [id, SHIP, this.#seconds(), this.#seconds(), this.#seconds(), id],
      )
    );
    return { runId: id, attempt: 1, fence: 1 };
  }

  /** Ends the attempt with a line of the server; `queued` starts another attempt, which the ship gets at once. */
  async end(ref: RunRef, state: RunState): Promise<RunRef> {
    const next = state === 'queued' ? { ...ref, attempt: ref.attempt + 1, fence: ref.fence + 2 } : ref;
    const before = await this.run(ref.runId);
    await this.sql.transaction(async (tx) => {
      await tx.run('UPDATE runs SET state = ?, attempt = ?, fence = ?, finished_at = ? WHERE id = ?', [
        state === 'queued' ? 'running' : state,
        next.attempt,
        next.fence,
        state === 'queued' ? null : this.#seconds(),
        ref.runId,
      ]);
      await this.logs.note(tx, ref.runId, ref.attempt, 'info', `the attempt has ended: ${state}`);
    });
    const run = (await this.run(ref.runId))!;
    for (const listener of this.#listeners) listener({ run, from: before!.state, formerShipId: SHIP });
    return next;
  }

  /** Assigns the attempt to the ship again, with another fence. */
  async handOutAgain(ref: RunRef): Promise<RunRef> {
    const next = { ...ref, fence: ref.fence + 2 };
    await this.sql.transaction((tx) => tx.run('UPDATE runs SET fence = ? WHERE id = ?', [next.fence, ref.runId]));
    return next;
  }

  async run(id: string): Promise<RunRecord | undefined> {
    const row = await this.sql.get('SELECT * FROM runs WHERE id = ?', [id]);
    if (row === undefined) return undefined;
    return {
      id,
      projectId: 'alpha',
      kind: 'pipeline',
      task: 'build',
      state: row['state'] as RunState,
      attempt: row['attempt'] as number,
      maxAttempts: 3,
      priority: 0,
      runsOn: [],
      source: 'api',
      shipId: SHIP,
      fence: row['fence'] as number,
      createdAt: 0,
      updatedAt: 0,
      startedAt: row['started_at'] as number,
      finishedAt: row['finished_at'] as number | null,
      availableMs: 0,
      laneId: 1,
      retryOf: null,
      rootId: id,
      retryNumber: 0,
      error: null,
      logsExpired: row['logs_expired'] === 1,
      logTruncated: row['log_truncated'] === 1,
      concurrencyGroup: null,
      waitsFor: null,
      approval: null,
      part: 0,
      logsBytes: row['logs_bytes'] as number,
      gitRef: null,
      gitCommit: null,
      origin: { by: null },
      cells: 0,
      parentId: null,
      job: null,
      matrix: null,
      skipped: null,
    };
  }

  note(ref: RunRef, message: string): Promise<void> {
    return this.sql.transaction((tx) => this.logs.note(tx, ref.runId, ref.attempt, 'info', message));
  }

  /** Changes the tables without the writer, and makes it read the log again: its last line was not committed. */
  async tamper(ref: RunRef, statement: string): Promise<void> {
    await this.sql.transaction((tx) => tx.run(statement));
    await this.sql.transaction(async (tx) => {
      await this.logs.note(tx, ref.runId, ref.attempt, 'info', 'undone');
      throw new Error('undone');
    }).catch(() => undefined);
  }

  /** Every event of an attempt, page by page. */
  async read(ref: RunRef): Promise<{ messages: string[]; complete: boolean }> {
    const messages: string[] = [];
    for (let offset = 0;;) {
      const page = await this.list(ref, offset);
      messages.push(...page.data.map(({ message }) => message));
      if (page.data.length === 0 || page.complete) return { messages, complete: page.complete };
      offset = page.next_offset;
    }
  }

  async list(ref: { runId: string; attempt?: number }, offset = 0) {
    const answer = await this.handlers.listRunLogs({
      id: ref.runId,
      offset,
      attempt: ref.attempt,
    }, undefined as never);
    return 'value' in answer ? answer.value : answer;
  }

  /** Real size of the chunks in bytes. */
  async chunkBytes(): Promise<number> {
    return (await this.sql.get<{ bytes: number | null }>('SELECT SUM(length(body)) AS bytes FROM log_chunks'))?.bytes ??
      0;
  }

  #seconds(): number {
    return Math.floor(this.clock.time / 1000);
  }
}

/** Sleeps until it is woken up. */
const never: Timer = {
  sleep: (_, signal) =>
    new Promise((
      resolve,
    ) => (signal?.aborted ? resolve() : signal?.addEventListener('abort', () => resolve(), { once: true }))),
};

export const line = (message: string, fields: Partial<ShipLine> = {}): ShipLine => ({
  unixMs: START,
  level: 'info',
  stream: 'stdout',
  step: 'test',
  message,
  ...fields,
});

export const lines = (count: number, from = 0): ShipLine[] =>
  Array.from({ length: count }, (_, i) => line(`line ${from + i}`));
