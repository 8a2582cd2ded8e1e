import { setImmediate } from 'node:timers/promises';
import { MAX_SEGMENT_BYTES, SegmentFullError, type StoredType } from '../../kernels/vectors.ts';
import { Compaction } from './compaction.ts';
import { Segment, type SegmentOptions, type VectorChunk } from './segment.ts';

/** Where a document's rows are. */
interface Place {
  readonly segment: number;
  /** First of its live rows, which are contiguous. */
  readonly row: number;
}

const FIRST_CAPACITY = 1024;
/** Ordinals that are processed in one step of some milliseconds. */
const ORDS_AT_ONCE = 250_000;

/** By ordinal, the segment and the first row of each document that has vectors: 6 bytes per ordinal. */
export class DocumentRows {
  /** First row plus 1; 0 for none. */
  #rows = new Uint32Array(FIRST_CAPACITY);
  #segments = new Uint16Array(FIRST_CAPACITY);
  #size = 0;
  /** Segments whose rows have moved, while the table still refers to them. */
  readonly #redirects = new Map<number, (row: number) => Place>();

  /** Number of documents that have vectors. */
  get size(): number {
    return this.#size;
  }

  /** Size of the table in bytes. */
  get bytes(): number {
    return this.#rows.byteLength + this.#segments.byteLength;
  }

  get(ord: number): Place | undefined {
    const row = this.#rows[ord] ?? 0;
    if (row === 0) return undefined;
    let place: Place = { segment: this.#segments[ord]!, row: row - 1 };
    for (let to = this.#redirects.get(place.segment); to !== undefined; to = this.#redirects.get(place.segment))
      place = to(place.row);
    return place;
  }

  set(ord: number, segment: number, row: number): void {
    if (ord >= this.#rows.length) this.#grow(ord + 1);
    if (this.#rows[ord] === 0) this.#size++;
    this.#rows[ord] = row + 1;
    this.#segments[ord] = segment;
  }

  delete(ord: number): void {
    if ((this.#rows[ord] ?? 0) === 0) return;
    this.#rows[ord] = 0;
    this.#size--;
  }

  /**
   * Redirects lookups in a segment, to which nothing is written any more, to the new places of its rows; call `settle`
   * afterwards.
   */
  redirect(segment: number, to: (row: number) => Place): void {
    this.#redirects.set(segment, to);
  }

  /** Updates the table with the redirected places, in slices. */
  async settle(): Promise<void> {
    const segments = new Set(this.#redirects.keys());
    for (let ord = 0; ord < this.#rows.length; ord++) {
      if (ord % ORDS_AT_ONCE === ORDS_AT_ONCE - 1) await setImmediate();
      if (this.#rows[ord] === 0 || !segments.has(this.#segments[ord]!)) continue;
      const { segment, row } = this.get(ord)!;
      this.set(ord, segment, row);
    }
    for (const segment of segments) this.#redirects.delete(segment);
  }

  /** Ordinals in ascending order. */
  *ords(): Generator<number> {
    for (let ord = 0; ord < this.#rows.length; ord++) if (this.#rows[ord] !== 0) yield ord;
  }

  #grow(ords: number): void {
    const capacity = Math.max(ords, this.#rows.length * 2);
    const rows = new Uint32Array(capacity);
    const segments = new Uint16Array(capacity);
    rows.set(this.#rows);
    segments.set(this.#segments);
    this.#rows = rows;
    this.#segments = segments;
  }
}

/** Up to this number of dead rows, compaction is not started automatically. */
const FEW_DEAD = 1024;
/** Segments with fewer bytes of rows than this share of the maximum size are merged. */
const SMALL_SHARE = 0.25;

/** Returns a number for a new segment that is unique in the index. */
type NextSegment = () => number;

/** The segments of one dimension and stored type. Rows are written to the last segment; the others are full. */
export class VectorSet {
  readonly dims: number;
  readonly type: StoredType;
  readonly #options: SegmentOptions;
  readonly #documents: DocumentRows;
  readonly #nextSegment: NextSegment;
  readonly #segments: Segment[] = [];
  #compaction: Promise<void> | undefined;
  #running: Compaction | undefined;
  /** Minimum number of rows at which compaction is started automatically again after it has failed. */
  #notBefore = 0;
  /** Segments that are being copied: nothing is written to them. */
  #sealed = new Set<Segment>();
  #isClosed = false;

  constructor(dims: number, type: StoredType, options: SegmentOptions, documents: DocumentRows,
    nextSegment: NextSegment)
  {
    this.dims = dims;
    this.type = type;
    this.#options = options;
    this.#documents = documents;
    this.#nextSegment = nextSegment;
  }

  get segments(): readonly Segment[] {
    return this.#segments;
  }

  get liveCount(): number {
    return this.#segments.reduce((sum, { liveCount }) => sum + liveCount, 0);
  }

  get rowCount(): number {
    return this.#segments.reduce((sum, { rowCount }) => sum + rowCount, 0);
  }

  /** Writes a document's rows. Throws a SegmentFullError when a whole segment couldn't hold them. */
  write(ord: number, chunks: readonly VectorChunk[]): void {
    let segment = this.#segments.at(-1);
    let row = segment === undefined || this.#sealed.has(segment) ? undefined : segment.write(ord, chunks);
    if (row === undefined) {
      segment = this.addSegment();
      row = segment.write(ord, chunks);
      if (row === undefined)
        throw new SegmentFullError(`${chunks.length} vectors of ${this.dims} dimensions do not fit into one segment`);
    }
    this.#documents.set(ord, segment!.id, row);
  }

  addSegment(): Segment {
    const segment = new Segment(this.#nextSegment(), this.dims, this.type, this.#options);
    this.#segments.push(segment);
    return segment;
  }

  /** Starts compaction when most rows of a segment are dead. */
  compactIfDue(): void {
    if (this.#isClosed || this.#compaction !== undefined || this.rowCount < this.#notBefore) return;
    const isDue = (segment: Segment) => segment.rowCount - segment.liveCount > Math.max(FEW_DEAD, segment.rowCount / 2);
    if (!this.#segments.some(isDue)) return;
    // If there is no memory for the copies, nothing changes.
    void this.#compact((segment) => isDue(segment) || this.#isSmall(segment)).catch(() => undefined);
  }

  /** Copies the live rows of all segments that have dead ones, and merges small segments. */
  async compact(): Promise<void> {
    await this.#compaction;
    const small = this.#segments.filter((segment) => this.#isSmall(segment)).length;
    const isDue = (segment: Segment) => segment.rowCount > segment.liveCount || (small > 1 && this.#isSmall(segment));
    if (!this.#isClosed && this.#segments.some(isDue)) await this.#compact(isDue);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#running?.stop();
    await this.#compaction?.catch(() => undefined);
    for (const segment of this.#segments.splice(0)) segment.retire();
  }

  #isSmall(segment: Segment): boolean {
    return segment.liveCount * segment.stride < Math.min(MAX_SEGMENT_BYTES, this.#options.segmentBytes) * SMALL_SHARE;
  }

  async #compact(isSource: (segment: Segment) => boolean): Promise<void> {
    const sources = this.#segments.filter(isSource);
    const make = () => new Segment(this.#nextSegment(), this.dims, this.type, this.#options);
    this.#sealed = new Set(sources);
    const compaction = new Compaction(sources, make);
    this.#running = compaction;
    this.#compaction = this.#finish(compaction, sources);
    await this.#compaction;
  }

  async #finish(compaction: Compaction, sources: readonly Segment[]): Promise<void> {
    try {
      const isWhole = await compaction.run();
      if (isWhole) this.#exchange(sources, compaction);
      else compaction.abandon();
      await this.#documents.settle();
    } catch (error) {
      compaction.abandon();
      this.#notBefore = this.rowCount * 2;
      throw error;
    } finally {
      this.#sealed = new Set();
      this.#running = undefined;
      this.#compaction = undefined;
    }
    this.compactIfDue();
  }

  /** Replaces the sources by their copies, at once. */
  #exchange(sources: readonly Segment[], compaction: Compaction): void {
    const targets = compaction.finish(this.#documents);
    const at = this.#segments.indexOf(sources[0]!);
    const rest = this.#segments.filter((segment) => !sources.includes(segment));
    rest.splice(Math.min(at, rest.length), 0, ...targets);
    this.#segments.splice(0, this.#segments.length, ...rest);
    for (const source of sources) source.retire();
  }
}
