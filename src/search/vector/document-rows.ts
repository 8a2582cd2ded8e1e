import { setImmediate } from 'node:timers/promises';

/** Where a document's rows are. */
export interface Place {
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
