import type { StoredType } from '../../kernels/vectors.ts';
import { VectorIndexClosedError } from './ann-index.ts';
import type { RowRun } from './segment-search.ts';
import type { Segment, SegmentOptions } from './segment.ts';
import { DocumentRows, VectorSet } from './vector-set.ts';

const MAX_SEGMENTS = 65_536;

/** The first row of a document. */
interface FirstRow {
  readonly segment: Segment;
  readonly row: number;
}

/** Rows of a document. */
export interface Run extends RowRun {
  readonly segment: Segment;
}

/** The different dimensions of some kinds of rows, ascending. */
export function dimensionsOf(kinds: readonly { readonly dims: number }[]): number[] {
  return [...new Set(kinds.map(({ dims }) => dims))].toSorted((a, b) => a - b);
}

/** The rows of one index: its sets by dimension and stored type, and where the rows of each document are. */
export class HeldRows {
  readonly documents = new DocumentRows();
  /** Up to this many documents of a filter, their rows are looked up; for more, all rows are tested. */
  readonly fewDocuments: number;
  readonly #options: SegmentOptions;
  readonly #sets = new Map<string, VectorSet>();
  #lastSegment = -1;
  #isClosed = false;

  constructor(options: SegmentOptions, fewDocuments: number) {
    this.#options = options;
    this.fewDocuments = fewDocuments;
  }

  get sets(): readonly VectorSet[] {
    return [...this.#sets.values()];
  }

  get segments(): Segment[] {
    return this.sets.flatMap(({ segments }) => segments);
  }

  /** The sets that have live rows. */
  get kinds(): VectorSet[] {
    return this.sets.filter(({ liveCount }) => liveCount > 0);
  }

  /** Dimensions of the live rows, ascending. */
  get dims(): number[] {
    return dimensionsOf(this.kinds);
  }

  setFor(dims: number, type: StoredType): VectorSet {
    const key = `${dims} ${type}`;
    let set = this.#sets.get(key);
    if (set === undefined) {
      set = new VectorSet(dims, type, this.#options, this.documents, () => this.#nextSegment());
      this.#sets.set(key, set);
    }
    return set;
  }

  segmentsById(): ReadonlyMap<number, Segment> {
    return new Map(this.segments.map((segment) => [segment.id, segment]));
  }

  /** The rows of a document. `segments` saves making `segmentsById` again for each of several documents. */
  runOf(ord: number, segments?: ReadonlyMap<number, Segment>): Run | undefined {
    const first = this.firstRowOf(ord, segments);
    return first && { ...first, count: first.segment.documentRows(first.row) };
  }

  firstRowOf(ord: number, segments?: ReadonlyMap<number, Segment>): FirstRow | undefined {
    const place = this.documents.get(ord);
    const segment = place && (segments ?? this.segmentsById()).get(place.segment);
    return segment && { segment, row: place!.row };
  }

  /** Marks the rows of a document as removed. */
  kill({ segment, row, count }: Run): void {
    segment.kill(row, count);
    this.#sets.get(`${segment.dims} ${segment.type}`)?.compactIfDue();
  }

  mustBeOpen(): void {
    if (this.#isClosed) throw new VectorIndexClosedError();
  }

  /** Frees the memory; running searches finish. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.sets.map((set) => set.close()));
    this.#sets.clear();
  }

  /** A number that no segment has. */
  #nextSegment(): number {
    const taken = new Set(this.segments.map(({ id }) => id));
    do this.#lastSegment = (this.#lastSegment + 1) % MAX_SEGMENTS; while (taken.has(this.#lastSegment));
    return this.#lastSegment;
  }
}
