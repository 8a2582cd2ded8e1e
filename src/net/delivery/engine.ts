import { systemTimer, type Timer } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { Lane, type LaneSource, type Progress } from './lane.ts';
import type { Sequenced } from './ordered-window.ts';
import { Slots } from './slots.ts';

/** The stored progress of one lane. */
export interface LaneProgress extends Progress {
  readonly lane: string;
}

export interface DeliveryEngineOptions {
  /** Stores the progress of some lanes atomically. Progress that is lost in a crash is delivered again. */
  readonly save: (progress: readonly LaneProgress[]) => Promise<void>;
  readonly log: Log;
  readonly timer?: Timer;
  /** Maximum number of concurrent requests of one lane; 64 if absent. */
  readonly inFlight?: number;
  /** Maximum number of concurrent requests of all lanes, not counting the first one of each; 256 if absent. */
  readonly slots?: number;
}

/** A lane for any kind of delivery. */
type AnyLane = Pick<Lane<Sequenced>, 'id' | 'waiting' | 'isDown' | 'progress' | 'wake' | 'stop'>;

/** How long progress is collected before it is written, in milliseconds. */
const FLUSH_MS = 50;

/** The same for entries that were only read past, which cost little to read again. */
const LOOKED_AT_MS = 5000;

/** Delay before a failed write is tried again. */
const TROUBLE_MS = 2000;

/** Time that requests in progress have to finish when the engine stops. */
const GRACE_MS = 2000;

/**
 * Delivers events to endpoints, at least once. The engine knows neither what is delivered nor where it is stored: a
 * lane is one log and one endpoint (`LaneSource`), such as a webhook over the change feed, or a table into which
 * deliveries are put. Lanes share only `slots`, so a slow endpoint does not delay others.
 */
export class DeliveryEngine {
  readonly #options: DeliveryEngineOptions;
  readonly #timer: Timer;
  readonly #slots: Slots;
  readonly #lanes = new Map<string, AnyLane>();
  readonly #changed = new Set<string>();
  readonly #stopping = new AbortController();
  #flushing: Promise<void> | undefined;
  #urgent = Promise.withResolvers<void>();

  constructor(options: DeliveryEngineOptions) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
    this.#slots = new Slots(options.slots ?? 256);
  }

  /** Number of deliveries that lanes hold and that are not done. */
  get waiting(): number {
    return [...this.#lanes.values()].reduce((sum, lane) => sum + lane.waiting, 0);
  }

  /** Number of lanes whose endpoint currently accepts nothing. */
  get down(): number {
    return [...this.#lanes.values()].filter((lane) => lane.isDown).length;
  }

  /**
   * The lowest number of a log that a lane still has to deliver or examine, minus one; undefined if there are no lanes.
   */
  positionOf(isOfLog: (lane: string) => boolean): number | undefined {
    const positions = [...this.#lanes.values()].filter(({ id }) => isOfLog(id)).map(({ progress }) =>
      (progress.open[0] ?? progress.position + 1) - 1
    );
    return positions.length === 0 ? undefined : Math.min(...positions);
  }

  /** Starts delivering. A previous lane with the same id must have been removed. */
  add<T extends Sequenced>(source: LaneSource<T>): void {
    const lane = new Lane<T>(source, {
      slots: this.#slots,
      timer: this.#timer,
      log: this.#options.log,
      inFlight: this.#options.inFlight ?? 64,
      onProgress: (what) => this.#note(source.id, what),
    });
    this.#lanes.set(source.id, lane);
    lane.wake();
  }

  has(id: string): boolean {
    return this.#lanes.has(id);
  }

  /** Signals that there may be more to deliver, in one lane or in all. */
  wake(id?: string): void {
    if (id !== undefined) this.#lanes.get(id)?.wake();
    else for (const lane of this.#lanes.values()) lane.wake();
  }

  /**
   * Stops a lane and returns its progress, which covers all requests that have ended; undefined if there is no such
   * lane.
   */
  async remove(id: string, graceMs = GRACE_MS): Promise<LaneProgress | undefined> {
    const lane = this.#lanes.get(id);
    if (lane === undefined) return undefined;
    await lane.stop(graceMs);
    if (this.#lanes.get(id) === lane) {
      this.#lanes.delete(id);
      this.#changed.delete(id);
    }
    return { lane: id, ...lane.progress };
  }

  /** Waits for requests in progress, for a short time, and stores the progress. May be called twice. */
  async stop(): Promise<void> {
    const lanes = [...this.#lanes.values()];
    await Promise.all(lanes.map((lane) => lane.stop(GRACE_MS)));
    this.#stopping.abort();
    this.#urgent.resolve();
    await this.#flushing;
    if (this.#changed.size > 0) await this.#save().catch((error: unknown) => this.#logFailure(error));
    this.#lanes.clear();
  }

  #note(id: string, what: 'done' | 'read'): void {
    this.#changed.add(id);
    if (what === 'done') this.#urgent.resolve();
    if (!this.#stopping.signal.aborted) this.#flushing ??= this.#flush().finally(() => (this.#flushing = undefined));
  }

  /** Never rejects. */
  async #flush(): Promise<void> {
    const { signal } = this.#stopping;
    while (this.#changed.size > 0 && !signal.aborted) {
      const waiting = new AbortController();
      await Promise.race([this.#urgent.promise,
        this.#timer.sleep(LOOKED_AT_MS, AbortSignal.any([signal, waiting.signal]))]);
      waiting.abort();
      await this.#timer.sleep(FLUSH_MS, signal);
      if (signal.aborted) return;
      this.#urgent = Promise.withResolvers<void>();
      try {
        await this.#save();
      } catch (error) {
        this.#logFailure(error);
        await this.#timer.sleep(TROUBLE_MS, signal);
      }
    }
  }

  async #save(): Promise<void> {
    const ids = [...this.#changed];
    this.#changed.clear();
    const progress = ids.flatMap((lane) => {
      const found = this.#lanes.get(lane);
      return found === undefined ? [] : [{ lane, ...found.progress }];
    });
    try {
      if (progress.length > 0) await this.#options.save(progress);
    } catch (error) {
      for (const id of ids) if (this.#lanes.has(id)) this.#changed.add(id);
      throw error;
    }
  }

  #logFailure(error: unknown): void {
    this.#options.log.warn({ err: error }, 'the progress of deliveries could not be kept; a crash would repeat them');
  }
}
