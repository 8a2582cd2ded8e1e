/** The rows that are live and pass a filter: bit `row & 63` of u64 `row >> 6`. */
export interface Selection {
  /** The identical words of the filter; undefined if all documents pass. */
  readonly filter: Uint32Array | undefined;
  /** Number of rows and live rows of the segment. */
  readonly rows: number;
  readonly live: number;
  readonly bitmap: Uint8Array;
  /** Number of rows selected. */
  readonly selected: number;
}

/** Number of selections that a segment keeps: each has a bit per row, and the words of the filter. */
const KEPT = 4;

/**
 * The last selections of a segment. Filters are compared by identity, because the same object is used as long as the
 * documents do not change. Rows are only added or removed, so the numbers of rows and live rows reveal any change.
 */
export class Selections {
  #kept: Selection[] = [];

  find(filter: Uint32Array | undefined, rows: number, live: number): Selection | undefined {
    const found = this.#kept.find((each) => each.filter === filter && each.rows === rows && each.live === live);
    if (found !== undefined) this.keep(found);
    return found;
  }

  /** Moves it to the end, as the most recently used. */
  keep(selection: Selection): void {
    const others = this.#kept.filter(({ filter, rows, live }) =>
      filter !== selection.filter && rows === selection.rows && live === selection.live
    );
    this.#kept = [selection, ...others].slice(0, KEPT);
  }
}
