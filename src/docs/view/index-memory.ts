import { Counter, Gauge, type Registry } from 'prom-client';
import { Loop, type LoopOptions } from '../../lib/loop.ts';

/** An index in memory, as its view tells of it. */
export interface IndexInMemory {
  /** That of its collection, or of the partition. */
  readonly name: string;
  readonly documents: number;
  readonly bytes: number;
  /** When it was searched or changed last, on the clock of `performance.now`. */
  readonly usedAt: number;
}

/** Where the indexes of a view are. */
export interface IndexCounts {
  readonly memory: number;
  readonly resting: number;
  /** Loading, or out of service. */
  readonly missing: number;
}

/** What of a view decides about its memory: see `CollectionView`. */
export interface RestingView {
  readonly name: string;
  counts(): IndexCounts;
  /** How many indexes searches have brought back into memory so far. */
  readonly woken: number;
  inMemory(): readonly IndexInMemory[];
  /** False if the index has been used since `usedAt`, cannot rest now, or the signal aborts. Never rejects. */
  rest(index: string, usedAt: number, signal: AbortSignal): Promise<boolean>;
}

export interface IndexMemoryOptions extends Pick<LoopOptions, 'log' | 'timer'> {
  readonly views: readonly RestingView[];
  /** Milliseconds after which a small index that nobody uses rests; 0 for never. */
  readonly restAfterMs: number;
  /** Bytes of all indexes above which those rest that were used least recently; 0 for no limit. */
  readonly limit: number;
  readonly now?: () => number;
}

/**
 * Most documents of a collection whose index rests only because nobody uses it. One of this size is read from its
 * checkpoint in some hundredths of a second, and made from the tables in about one, which a search waits for.
 */
export const MOST_AT_REST = 5000;

const EVERY_MS = 5000;

/** Decides which indexes of all views are in memory. A search brings one that rests back (`CollectionView.indexOf`). */
export class IndexMemory {
  readonly #options: IndexMemoryOptions;
  readonly #now: () => number;
  readonly #loop: Loop | undefined;

  constructor(options: IndexMemoryOptions) {
    const { restAfterMs, limit, log, timer, now = () => performance.now() } = this.#options = options;
    this.#now = now;
    if (restAfterMs === 0 && limit === 0) return;
    this.#loop = new Loop({
      name: 'memory of indexes',
      everyMs: EVERY_MS,
      waitsFirst: true,
      failure: 'the memory of indexes that nobody uses could not be freed; trying again',
      log,
      timer,
    }, (signal) => this.#round(signal));
  }

  async start(): Promise<void> {
    this.#loop?.start();
  }

  async stop(): Promise<void> {
    await this.#loop?.stop();
  }

  registerMetrics(registers: Registry[]): void {
    const { views } = this.#options;
    new Gauge({
      name: 'svc_indexes',
      help: 'Indexes by where they are: in memory, resting until a search asks for them, or missing.',
      labelNames: ['view', 'state'],
      registers,
      collect() {
        for (const view of views)
          for (const [state, count] of Object.entries(view.counts())) this.set({ view: view.name, state }, count);
      },
    });
    new Counter({
      name: 'svc_index_reads_total',
      help: 'Indexes that were read because a search asked for one that rested.',
      labelNames: ['view'],
      registers,
      collect() {
        this.reset();
        for (const view of views) this.inc({ view: view.name }, view.woken);
      },
    });
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { views, restAfterMs, limit } = this.#options;
    const before = this.#now() - restAfterMs;
    const all = views.flatMap((view) => view.inMemory().map((index) => ({ view, ...index })));
    all.sort((one, other) => one.usedAt - other.usedAt);
    let bytes = all.reduce((sum, index) => sum + index.bytes, 0);
    for (const { view, name, documents, usedAt, bytes: size } of all) {
      const isIdle = restAfterMs > 0 && documents <= MOST_AT_REST && usedAt <= before;
      const isTooMuch = limit > 0 && bytes > limit;
      if (signal.aborted) return;
      if ((isIdle || isTooMuch) && await view.rest(name, usedAt, signal)) bytes -= size;
    }
  }
}
