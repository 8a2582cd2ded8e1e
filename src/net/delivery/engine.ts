import type { Log } from '../../lib/log.ts';
import { systemTimer, type Timer } from '../../lib/timer.ts';
import { Lane, type LaneSource, type Progress } from './lane.ts';
import type { Sequenced } from './ordered-window.ts';
import { Slots } from './slots.ts';

/** The progress of one lane, as it is kept. */
export interface LaneProgress extends Progress {
  readonly lane: string;
}

export interface DeliveryEngineOptions {
  /** Keeps the progress of some lanes, all or none of it. What a crash loses of it is delivered again. */
  readonly save: (progress: readonly LaneProgress[]) => Promise<void>;
  readonly log: Log;
  readonly timer?: Timer;
  /** Most requests of one lane that are under way at once; 64 when absent. */
  readonly inFlight?: number;
  /** Requests of all lanes beside the first one of each; 256 when absent. */
  readonly slots?: number;
}

/** A lane of whatever deliveries. */
type AnyLane = Pick<Lane<Sequenced>, 'id' | 'waiting' | 'isDown' | 'progress' | 'wake' | 'stop'>;

/** How long deliveries share one write of their progress. */
const FLUSH_MS = 50;

/** The same for what was only looked at: reading it again costs little. */
const LOOKED_AT_MS = 5000;

/** Until a write that failed is tried again. */
const TROUBLE_MS = 2000;

/** Time for what is under way when the engine stops. */
const GRACE_MS = 2000;

/**
 * Delivers what happens to endpoints, at least once. It knows neither what is delivered nor where that is kept: a lane
 * is one log and one endpoint (`LaneSource`), such as a webhook over the change feed, or a table that deliveries are
 * put into. Lanes share nothing but `slots`, so an endpoint that is slow delays no other.
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

  /** Deliveries that lanes know of and that are not done. */
  get waiting(): number {
    return [...this.#lanes.values()].reduce((sum, lane) => sum + lane.waiting, 0);
  }

  /** Lanes whose endpoint accepts nothing at present. */
  get down(): number {
    return [...this.#lanes.values()].filter((lane) => lane.isDown).length;
  }

  /** The least number that some lane of a log has yet to deliver or to look at, minus one; undefined without lanes. */
  positionOf(isOfLog: (lane: string) => boolean): number | undefined {
    const positions = [...this.#lanes.values()].filter(({ id }) => isOfLog(id)).map(({ progress }) => (progress.open[0] ?? progress.position + 1) - 1);
    return positions.length === 0 ? undefined : Math.min(...positions);
  }

  /** Begins to deliver; a lane of the same id must have been removed. */
  add<T extends Sequenced>(source: LaneSource<T>): void {
    const lane = new Lane<T>(source, {
      slots: this.#slots, timer: this.#timer, log: this.#options.log, inFlight: this.#options.inFlight ?? 64,
      onProgress: (what) => this.#note(source.id, what),
    });
    this.#lanes.set(source.id, lane);
    lane.wake();
  }

  has(id: string): boolean {
    return this.#lanes.has(id);
  }

  /** There may be more to deliver, in one lane or in all. */
  wake(id?: string): void {
    if (id !== undefined) this.#lanes.get(id)?.wake();
    else for (const lane of this.#lanes.values()) lane.wake();
  }

  /** Stops a lane; its progress is that up to which its requests have ended. Undefined when there is none. */
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

  /** Waits for what is under way, for a short time, and keeps how far it came. Safe twice. */
  async stop(): Promise<void> {
    const lanes = [...this.#lanes.values()];
    await Promise.all(lanes.map((lane) => lane.stop(GRACE_MS)));
    this.#stopping.abort();
    this.#urgent.resolve();
    await this.#flushing;
    if (this.#changed.size > 0) await this.#save().catch((error: unknown) => this.#tell(error));
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
      await Promise.race([this.#urgent.promise, this.#timer.sleep(LOOKED_AT_MS, AbortSignal.any([signal, waiting.signal]))]);
      waiting.abort();
      await this.#timer.sleep(FLUSH_MS, signal);
      if (signal.aborted) return;
      this.#urgent = Promise.withResolvers<void>();
      try {
        await this.#save();
      } catch (error) {
        this.#tell(error);
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

  #tell(error: unknown): void {
    this.#options.log.warn({ err: error }, 'the progress of deliveries could not be kept; a crash would repeat them');
  }
}
