import type { Timer } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { type LoadedRunsConfig, parseRunsConfig } from '../runs/config/index.ts';
import type { RunsEnvironment } from '../runs/environment.ts';
import type { RunLogs } from '../runs/logs/port.ts';
import type { Claim, NewRun, RunChange, RunKind, Worker } from '../runs/queue/port.ts';
import { assembleQueue, type QueueOptions, type QueueParts } from '../runs/queue/queue.ts';
import { RUN_QUEUE_MIGRATIONS, type Sql } from '../storage/index.ts';
import { openMigrated } from './migrated-database.ts';

/** Two projects without a limit and a disabled one; `limited` runs two at once. */
export const QUEUE_CONFIG = `
projects:
  - {id: alpha, repository: org/alpha}
  - {id: beta, repository: org/beta}
  - {id: limited, repository: org/limited, max_parallel: 2}
  - {id: off, repository: org/off, enabled: false}
`;

/** A timer whose sleeps end at once, for tests that call `tick` themselves. */
const noWaiting: Timer = { sleep: async () => {} };

export interface QueueFixtureOptions extends Pick<QueueOptions, 'random'> {
  readonly path?: string;
  readonly yaml?: string;
  readonly timer?: Timer;
}

/** A queue over its own database, whose time the test advances by hand. */
export class QueueFixture {
  readonly sql: Sql;
  readonly env: RunsEnvironment;
  readonly changes: RunChange[] = [];
  /** Durations of batches, in seconds. */
  readonly handedOut: number[] = [];
  /** Number of log lines that were committed. */
  readonly lines: { runId: string; attempt: number; level: string; message: string }[] = [];
  readonly #options: QueueFixtureOptions;
  /** The wall clock, which may be set, and the elapsed time. */
  wall = 1_766_400_000_000;
  elapsed = 0;
  /** Makes writes of log lines fail: all of them, or those of one run. */
  failNotes = false;
  failNotesOf: string | undefined;
  noteFailure: Error = new Error('the log is gone');
  /** Labels of ships that are not connected. */
  readonly known: (readonly string[])[] = [];
  #loaded: LoadedRunsConfig;
  parts: QueueParts;

  static async open(options: QueueFixtureOptions = {}): Promise<QueueFixture> {
    const sql = await openMigrated({ path: options.path ?? ':memory:' }, RUN_QUEUE_MIGRATIONS);
    const fixture = new QueueFixture(sql, options);
    await fixture.parts.load();
    return fixture;
  }

  private constructor(sql: Sql, options: QueueFixtureOptions) {
    this.sql = sql;
    this.#options = options;
    this.#loaded = loaded(options.yaml ?? QUEUE_CONFIG);
    this.env = {
      sql,
      clock: { now: () => this.wall },
      timer: options.timer ?? noWaiting,
      log: silentLog,
      nodeId: 'node',
      version: '0.0.0',
      config: { current: () => this.#loaded, onChange: () => () => {} },
    };
    this.parts = this.#assemble();
  }

  get queue() {
    return this.parts.queue;
  }

  reconfigure(yaml: string): void {
    this.#loaded = loaded(yaml);
  }

  /** Advances the time. */
  pass(milliseconds: number): void {
    this.wall += milliseconds;
    this.elapsed += milliseconds;
  }

  /** Advances the time as in production, with a tick each second. */
  async live(milliseconds: number): Promise<void> {
    for (let left = milliseconds; left > 0; left -= 1000) {
      this.pass(Math.min(1000, left));
      await this.parts.tick();
    }
  }

  /** A new server over the same database. */
  async restart(): Promise<void> {
    this.parts = this.#assemble();
    await this.parts.load();
  }

  async submit(run: Partial<NewRun> = {}) {
    return this.sql.transaction((tx) => this.queue.insert(tx, newRun(run)));
  }

  /** Queues one at a time, so that the order of their numbers is the same in any store. */
  async submitInTurn(count: number, run: Partial<NewRun> = {}) {
    const runs = [];
    while (runs.length < count) runs.push(await this.submit(run));
    return runs;
  }

  async state(id: string): Promise<string> {
    return (await this.queue.get(id))!.state;
  }

  #assemble(): QueueParts {
    const { random = () => 0.5 } = this.#options;
    const parts = assembleQueue({
      env: this.env,
      note: this.#note,
      random,
      elapsed: () => this.elapsed,
      onHandedOut: (seconds) => this.handedOut.push(seconds),
      knowsShip: (selectors) => this.known.some((labels) => selectors.every((selector) => labels.includes(selector))),
    });
    parts.queue.onChange((change) => this.changes.push(change));
    return parts;
  }

  readonly #note: RunLogs['note'] = async (tx, runId, attempt, level, message) => {
    if (this.failNotes || this.failNotesOf === runId) throw this.noteFailure;
    tx.onCommit(() => this.lines.push({ runId, attempt, level, message }));
  };
}

function loaded(yaml: string): LoadedRunsConfig {
  return { config: parseRunsConfig(yaml), apiTokens: [], source: 'test', folder: '/', readOnly: false, hash: '' };
}

export function newRun(run: Partial<NewRun> = {}): NewRun {
  return {
    projectId: 'alpha',
    kind: 'pipeline',
    task: 'build',
    input: null,
    inputIsJson: false,
    priority: 0,
    runsOn: [],
    maxAttempts: 3,
    source: 'api',
    origin: { by: null },
    definition: {
      assignment: { project_id: 'alpha' },
      secrets: [],
      retryOn: [],
      timeoutMs: 3_600_000,
      keyVariable: '',
    },
    ...run,
  };
}

/** A worker that only keeps what it is assigned. */
export class FakeShip implements Worker {
  readonly shipId: string;
  readonly sessionId = 'session';
  readonly labels: string[];
  readonly kinds: readonly RunKind[] = ['diagnostic', 'pipeline', 'ai_text'];
  readonly keyVariables: string[] = [];
  capacity: number;
  doing: 'draining' | 'silent' | undefined;
  readonly claims: Claim[] = [];

  constructor(shipId: string, capacity = 1, labels: string[] = []) {
    this.shipId = shipId;
    this.capacity = capacity;
    this.labels = labels;
  }

  free(): number {
    return this.capacity - this.claims.length;
  }

  idle(): 'draining' | 'silent' | undefined {
    return this.doing;
  }

  assign(claim: Claim): void {
    this.claims.push(claim);
  }

  /** The last claim that it was assigned. */
  get last(): Claim {
    return this.claims.at(-1)!;
  }
}
