import { setTimeout } from 'node:timers/promises';
import { systemClock, systemTimer } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { parseRunsConfig } from '../../../src/runs/config/index.ts';
import type { RunsEnvironment } from '../../../src/runs/environment.ts';
import { createRunLogs } from '../../../src/runs/logs/index.ts';
import { type Claim, createQueue, type Queue, type Worker, type WorkerHandle } from '../../../src/runs/queue/index.ts';
import { migrate, openPostgres, RUN_QUEUE_MIGRATIONS, type Sql } from '../../../src/storage/index.ts';
import { newRun } from '../../../src/testkit/runs-queue.ts';
import type { JobQueue } from './peer.ts';
import { startPostgres } from './processes.ts';

const PROJECTS = 20;
const TASKS = 15;
/** Number of runs that are executed at once. */
const SLOTS = 64;

/**
 * The queue of this package as configured by its server, over a separate PostgreSQL: without HTTP and ships, but with
 * the logs of runs.
 */
export async function startQuire(folder: string): Promise<JobQueue | undefined> {
  const server = await startPostgres(folder);
  if (server === undefined) return undefined;
  const sql = await opened(`postgres://app@127.0.0.1:${server.port}/postgres`);
  await migrate(sql, RUN_QUEUE_MIGRATIONS);
  const env = environment(sql);
  const logs = createRunLogs({ env });
  const queue = createQueue({ env, note: logs.note, lines: logs.lines });
  const taker = new Taker(queue);
  await logs.start();
  await queue.start();
  let submitted = 0;
  return {
    name: "this package's queue on PostgreSQL, commits synced, with logs",
    submit: () => {
      const n = submitted++;
      return sql.transaction((tx) =>
        queue.insert(tx,
          newRun({ projectId: `p${n % PROJECTS}`, task: `t${n % TASKS}`, input: '{"ref":"main"}', inputIsJson: true }))
      );
    },
    batches: [20],
    drain: (jobs) => taker.take(jobs),
    async work(began) {
      taker.open(began);
    },
    async stop() {
      await queue.stop();
      await logs.stop();
      await sql.close();
      await server.stop();
    },
  };
}

function environment(sql: Sql): RunsEnvironment {
  const projects = Array.from({ length: PROJECTS }, (_, n) => `  - {id: p${n}, repository: org/p${n}}`);
  const loaded = {
    config: parseRunsConfig(`projects:\n${projects.join('\n')}\n`),
    apiTokens: [],
    source: 'bench',
    folder: '/',
    readOnly: false,
    hash: '',
  };
  return {
    sql,
    clock: systemClock,
    timer: systemTimer,
    log: silentLog,
    nodeId: 'bench',
    version: '0',
    config: { current: () => loaded, onChange: () => () => {} },
  };
}

/** Its server accepts connections a moment before it is ready for them. */
async function opened(url: string): Promise<Sql> {
  for (let attempt = 0;; attempt++) {
    try {
      return await openPostgres({ url, pool: 20 });
    } catch (error) {
      if (attempt === 50) throw error;
      await setTimeout(100);
    }
  }
}

/** Claims runs while it is open, accepts each and completes it. */
class Taker implements Worker {
  readonly shipId = 'ship';
  readonly sessionId = 'session';
  readonly labels = [];
  readonly kinds = ['pipeline'] as const;
  readonly keyVariables = [];
  readonly #queue: Queue;
  readonly #handle: WorkerHandle;
  #isOpen = false;
  #held = 0;
  #done = 0;
  #onDone = (): void => undefined;
  #onBegin = (): void => undefined;

  constructor(queue: Queue) {
    this.#queue = queue;
    this.#handle = queue.addWorker(this);
  }

  open(onBegin = (): void => undefined): void {
    this.#onBegin = onBegin;
    this.#isOpen = true;
    this.#handle.wake();
  }

  async take(runs: number): Promise<void> {
    this.#done = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onDone = () => {
      if (this.#done >= runs) resolve();
    };
    this.open();
    await promise;
    this.#isOpen = false;
  }

  free(): number {
    return this.#isOpen ? SLOTS - this.#held : 0;
  }

  assign({ ref }: Claim): void {
    this.#held += 1;
    this.#onBegin();
    void this.#work(ref);
  }

  async #work(ref: Claim['ref']): Promise<void> {
    await this.#queue.accept(ref, this.shipId);
    if (await this.#queue.complete(ref, this.shipId, { outcome: 'succeeded', started: true }) !== 'recorded')
      throw new Error(`the end of run ${ref.runId} was not recorded`);
    this.#held -= 1;
    this.#done += 1;
    this.#onDone();
    this.#handle.wake();
  }
}
