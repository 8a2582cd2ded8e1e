import type { AnnAlgorithm, AnnFactory, AnnIndex, Metric, SegmentAccess } from './ann-index.ts';

/**
 * Rows that are added in one step, or as many as the structure already contains, if that is more; checkpoints can be
 * written between two steps.
 */
const STEP_ROWS = 16_384;
/**
 * When this many rows are missing in a structure, writing rows starts adding them; fewer are scanned until the next
 * search starts it.
 */
const BACKLOG_ROWS = 1024;

/** Minimum share of the rows that a structure must contain to be used: with less, a search would mostly be a scan. */
const READY_SHARE = 0.5;

/** A structure and its state. */
interface Slot {
  readonly algorithm: AnnAlgorithm;
  readonly metric: Metric;
  readonly index: AnnIndex;
  /** Number of rows of the segment when adding rows failed; retried when the number has doubled. */
  failedAt: number;
  failure: unknown;
}

/** The state of a structure for statistics. */
export interface StructureState {
  readonly algorithm: AnnAlgorithm;
  readonly metric: Metric;
  readonly covers: number;
  readonly bytes: number;
  readonly failure?: unknown;
}

/**
 * The structures over the rows of one segment. A structure is created when it is first requested, and then follows the
 * rows; one step of one structure runs at a time.
 */
export class Structures {
  readonly #segment: SegmentAccess;
  readonly #factories: readonly AnnFactory[];
  readonly #slots: Slot[] = [];
  #step: Promise<void> | undefined;
  #paused = 0;
  #isClosed = false;

  constructor(segment: SegmentAccess, factories: readonly AnnFactory[]) {
    this.#segment = segment;
    this.#factories = factories;
  }

  factory(algorithm: AnnAlgorithm): AnnFactory | undefined {
    return this.#factories.find((each) => each.algorithm === algorithm);
  }

  /** The structure for searches by a metric; undefined if it is not ready, and then its next step is started. */
  use(factory: AnnFactory, metric: Metric): AnnIndex | undefined {
    const structured = factory.structureFor(metric);
    let slot = this.#slots.find((each) => each.algorithm === factory.algorithm && each.metric === structured);
    if (slot === undefined) {
      slot = {
        algorithm: factory.algorithm,
        metric: structured,
        index: factory.create(this.#segment, structured),
        failedAt: 0,
        failure: undefined,
      };
      this.#slots.push(slot);
    }
    this.#follow(1);
    return slot.index.covers > 0 && slot.index.covers >= this.#segment.rowCount * READY_SHARE ? slot.index : undefined;
  }

  /** Creates the same structures as another segment has. */
  follow(others: readonly StructureState[]): void {
    for (const { algorithm, metric } of others) {
      const factory = this.factory(algorithm);
      if (factory !== undefined && this.#segment.rowCount >= factory.minRows) this.use(factory, metric);
    }
  }

  /** Must be called after rows were written. */
  rowsWereAdded(): void {
    if (this.#slots.length > 0) this.#follow(BACKLOG_ROWS);
  }

  /** Resolves when every structure covers every row, or has failed. */
  async settled(): Promise<void> {
    this.#follow(1);
    while (this.#step !== undefined) await this.#step;
  }

  /** Resolves when no structure changes any more; lasts until `resume`. */
  async pause(): Promise<void> {
    this.#paused++;
    await this.#step;
  }

  resume(): void {
    this.#paused--;
    this.#follow(BACKLOG_ROWS);
  }

  /** The structures that can be saved; only while paused. */
  ready(): readonly Pick<Slot, 'algorithm' | 'metric' | 'index'>[] {
    return this.#slots.filter(({ index }) => index.covers > 0);
  }

  /** Restores a saved structure. */
  async restore(algorithm: AnnAlgorithm, metric: Metric, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const index = await this.factory(algorithm)?.restore(this.#segment, metric, bytes);
    if (index !== undefined) this.#slots.push({ algorithm, metric, index, failedAt: 0, failure: undefined });
  }

  states(): StructureState[] {
    return this.#slots.map(({ algorithm, metric, index: { covers, bytes }, failure }) => ({
      algorithm,
      metric,
      covers,
      bytes,
      failure,
    }));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#step;
    for (const { index } of this.#slots.splice(0)) index.close();
  }

  /** Starts a step of the structure that lacks the most rows, if it lacks at least `backlog`. */
  #follow(backlog: number): void {
    if (this.#step !== undefined || this.#paused > 0 || this.#isClosed) return;
    const rows = this.#segment.rowCount;
    const lag = (slot: Slot) => (slot.failedAt > 0 && rows < slot.failedAt * 2 ? 0 : rows - slot.index.covers);
    const slot = this.#slots.toSorted((a, b) => lag(b) - lag(a))[0];
    if (slot === undefined || lag(slot) < backlog) return;
    const upTo = Math.min(rows, slot.index.covers + Math.max(STEP_ROWS, slot.index.covers));
    this.#step = this.#insert(slot, upTo).then(() => {
      this.#step = undefined;
      this.#follow(backlog);
    });
  }

  async #insert(slot: Slot, upTo: number): Promise<void> {
    try {
      await slot.index.insert(upTo);
      slot.failedAt = 0;
      slot.failure = undefined;
      if (slot.index.covers < upTo)
        throw new Error(`a structure of ${slot.algorithm} covers ${slot.index.covers} rows, not ${upTo}`);
    } catch (error) {
      slot.failedAt = this.#segment.rowCount;
      slot.failure = error;
    }
  }
}
