import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SocketSource } from '../../api/http/index.ts';
import type { Counted, DocumentService, OtherProcesses } from '../../docs/index.ts';
import { summed } from '../../docs/index.ts';
import { ServiceError } from '../../errors/index.ts';
import { type Backoff, backoffDelay } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { Loop } from '../../lib/loop.ts';
import type { SlowBodyReports } from '../../lib/slow-bodies.ts';
import type { RateLimit } from '../../operations/index.ts';
import type { ChangeFeed } from '../../storage/index.ts';
import { packSettings, type Settings } from '../settings/index.ts';
import type { TraceSettings } from '../tracing/index.ts';
import type { ToPrimary, ToWorker } from './messages.ts';
import { Acceptor, WorkerHandle } from './worker-handle.ts';

const RESTART: Backoff = { initial: 100, max: 30_000 };

/** A worker that lived for this many milliseconds did not fail at its start. */
const SETTLED_MS = 60_000;

/**
 * Milliseconds between two checks of the workers and collections of their counters; a worker that dies loses at most
 * the counts of this interval.
 */
const LOOK_MS = 2000;

/** Milliseconds for which the metrics wait for a worker. */
const COUNT_MS = 1000;

/** Milliseconds that stopping takes in addition to the requests in flight. */
const CLOSING_MS = 5000;

interface WorkerSupervisorOptions {
  readonly settings: Settings;
  readonly log: Log;
  readonly service: Pick<DocumentService, 'receive' | 'system'>;
  readonly feed: Pick<ChangeFeed, 'join'>;
  /** How workers record traces; undefined while traces are off. */
  readonly traces?: TraceSettings | undefined;
}

/** The limits that hold for all processes together. */
interface PoolLimits {
  readonly limit?: RateLimit | undefined;
  readonly clients: { readonly slowBodies: SlowBodyReports };
}

/**
 * The processes that serve reads beside the primary. Each one that ends is replaced; the primary serves all connections
 * until the replacement's indexes are ready.
 */
export class WorkerSupervisor {
  readonly sockets: SocketSource;
  readonly #options: WorkerSupervisorOptions;
  readonly #acceptor: Acceptor;
  readonly #workers = new Map<number, WorkerHandle>();
  readonly #failures = new Map<number, number>();
  readonly #counting = new Map<number, () => void>();
  /** The counters of workers that have ended. */
  #retired: Counted = [];
  #limits: PoolLimits | undefined;
  #folder: string | undefined;
  #stopping: Promise<void> | undefined;
  #leave: (() => void) | undefined;
  readonly #looking: Loop;
  #lastCount = 0;

  constructor(options: WorkerSupervisorOptions) {
    this.#options = options;
    const failure = 'the worker processes could not be looked at';
    this.#looking = new Loop({ name: 'workers', everyMs: LOOK_MS, waitsFirst: true, log: options.log, failure },
      () => this.#look());
    this.#acceptor = new Acceptor(() => this.#takers());
    this.sockets = this.#acceptor;
  }

  /** The address at which workers forward requests: a socket in a folder that only this user may enter. */
  async socket(): Promise<string> {
    this.#folder ??= await mkdtemp(join(tmpdir(), 'quire-'));
    return join(this.#folder, 'primary.sock');
  }

  /** Starts the workers; resolves before they are ready. */
  async start(limits: PoolLimits): Promise<void> {
    const { settings, service, feed } = this.#options;
    this.#limits = limits;
    service.system.describeProcesses(this.#processes());
    let isAnnounced = true;
    this.#leave = feed.join({
      position: () => undefined,
      wake: () => {
        if (isAnnounced)
          setImmediate(() => {
            isAnnounced = true;
            for (const worker of this.#workers.values()) worker.notifyChange();
          });
        isAnnounced = false;
      },
    });
    this.#looking.start();
    const socket = await this.socket();
    for (let number = 1; number < settings.workers.count; number++) this.#spawn(number, socket);
  }

  /** Pids of the workers, for tests. */
  get pids(): number[] {
    return [...this.#workers.values()].flatMap(({ pid }) => pid ?? []);
  }

  /** Makes all of them reload their certificates. */
  reload(): void {
    for (const worker of this.#workers.values()) worker.send({ type: 'reload' });
  }

  /**
   * Lets the workers finish the requests in flight, for at most the given milliseconds, and ends them. Safe to call
   * twice.
   */
  stop(graceMs: number): Promise<void> {
    return (this.#stopping ??= this.#stop(graceMs));
  }

  async #stop(graceMs: number): Promise<void> {
    const looked = this.#looking.stop();
    this.#leave?.();
    const workers = [...this.#workers.values()];
    const late = setTimeout(() => workers.forEach((worker) => worker.kill()), graceMs + CLOSING_MS);
    for (const worker of workers) worker.send({ type: 'stop', graceMs });
    await Promise.all([looked, ...workers.map(({ exited }) => exited)]);
    clearTimeout(late);
  }

  /** Removes the folder of the socket; to be called when its server has stopped. */
  async close(): Promise<void> {
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }

  #takers(): WorkerHandle[] {
    return this.#stopping === undefined
      ? [...this.#workers.values()].filter(({ ready, isSlow }) => ready && !isSlow)
      : [];
  }

  #spawn(number: number, socket: string): void {
    if (this.#stopping !== undefined) return;
    const { log } = this.#options;
    const worker = new WorkerHandle(number, {
      type: 'start',
      settings: packSettings(this.#settingsOfWorker()),
      socket,
      worker: number,
      traces: this.#options.traces,
    }, {
      onMessage: (message) => void this.#receive(worker, message),
      onExit: (reason, untaken) => {
        this.#retire(worker);
        // No data has been read from the connection, so another process can serve it.
        for (const connection of untaken) this.#acceptor.hand(connection);
        if (this.#stopping !== undefined) return;
        const failures = performance.now() - worker.startedAt > SETTLED_MS ? 1 : (this.#failures.get(number) ?? 0) + 1;
        this.#failures.set(number, failures);
        log.warn({ worker: number, reason, failures }, 'a worker process has ended; it is replaced');
        setTimeout(() => this.#spawn(number, socket), backoffDelay(failures, RESTART)).unref();
      },
    });
    this.#workers.set(number, worker);
  }

  /** The threads for vector scans and the concurrent searches are divided among the processes. */
  #settingsOfWorker(): Settings {
    const { settings } = this.#options;
    const share = (value: number): number => (value === 0 ? 0 : Math.max(1, Math.ceil(value / settings.workers.count)));
    return {
      ...settings,
      vector: { ...settings.vector, parallelWorkers: share(settings.vector.parallelWorkers) },
      search: { ...settings.search, maxConcurrent: share(settings.search.maxConcurrent) },
    };
  }

  #retire(worker: WorkerHandle): void {
    if (this.#workers.get(worker.number) === worker) this.#workers.delete(worker.number);
    this.#limits?.clients.slowBodies.report(worker, []);
    void summed([this.#retired, worker.counters]).getMetricsAsJSON().then((counters) => (this.#retired = counters));
  }

  async #receive(worker: WorkerHandle, message: ToPrimary): Promise<void> {
    if (message.type === 'notes') { for (const note of message.notes) this.#options.service.receive(note); }
    else if (message.type === 'admit') worker.send(await this.#admit(message));
    else if (message.type === 'slow') this.#relay(worker, message);
    else if (message.type === 'counted') {
      [worker.counters, worker.memory] = [message.counters, message.memory];
      this.#counting.get(message.id)?.();
      this.#counting.delete(message.id);
    }
  }

  #relay(worker: WorkerHandle, { report, bodies }: Extract<ToPrimary, { type: 'slow' }>): void {
    this.#limits?.clients.slowBodies.report(worker,
      bodies.map((body, index) => ({ ...body, end: () => worker.send({ type: 'end-slow', report, index }) })));
  }

  async #admit({ id, sender }: Extract<ToPrimary, { type: 'admit' }>): Promise<ToWorker> {
    try {
      return { type: 'admitted', id, headers: (await this.#limits?.limit?.admit(sender)) ?? {} };
    } catch (error) {
      const { message, headers = {} } = error instanceof ServiceError
        ? error
        : new ServiceError('internal', 'internal error');
      return { type: 'admitted', id, headers, refused: message };
    }
  }

  async #look(): Promise<void> {
    for (const worker of this.#workers.values()) worker.look();
    await this.#count();
  }

  /** Asks each ready worker for its counters; for slow ones the last known values are used. */
  async #count(): Promise<void> {
    const asked = [...this.#workers.values()].filter(({ ready }) => ready).map((worker) => {
      const id = ++this.#lastCount;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#counting.set(id, resolve);
      worker.send({ type: 'count', id });
      const late = setTimeout(() => {
        this.#counting.delete(id);
        resolve();
      }, COUNT_MS);
      return promise.then(() => clearTimeout(late));
    });
    await Promise.all(asked);
  }

  #processes(): OtherProcesses {
    const { count } = this.#options.settings.workers;
    return {
      counters: async () => {
        await this.#count();
        return [this.#retired, ...[...this.#workers.values()].map(({ counters }) => counters)];
      },
      states: () => {
        const ready = 1 + [...this.#workers.values()].filter((worker) => worker.ready).length;
        return { ready, starting: count - ready };
      },
      memory: () =>
        new Map([[0, process.memoryUsage.rss()], ...[...this.#workers.values()].map(({ number, memory }) =>
          [number, memory] as const
        )]),
    };
  }
}
