/** Which rows live and pass a filter: bit `row & 63` of u64 `row >> 6`. */
export interface Selection {
  /** The filter's own words; undefined for every document. */
  readonly filter: Uint32Array | undefined;
  /** Rows and live rows of the segment. */
  readonly rows: number;
  readonly live: number;
  readonly bitmap: Uint8Array;
  /** Rows that are in. */
  readonly selected: number;
}

/** Selections of a segment that are kept: a bit for each row, and the words of the filter. */
const KEPT = 4;

/**
 * The last selections of a segment. Filters are told apart by identity, as they are the same object for as long as the
 * documents are. Rows are only ever added and die, so that numbers of rows and live rows tell whether there was a change.
 */
export class Selections {
  #kept: Selection[] = [];

  find(filter: Uint32Array | undefined, rows: number, live: number): Selection | undefined {
    const found = this.#kept.find((each) => each.filter === filter && each.rows === rows && each.live === live);
    if (found !== undefined) this.keep(found);
    return found;
  }

  /** As the last one used. */
  keep(selection: Selection): void {
    const others = this.#kept.filter(({ filter, rows, live }) => filter !== selection.filter && rows === selection.rows && live === selection.live);
    this.#kept = [selection, ...others].slice(0, KEPT);
  }
}
