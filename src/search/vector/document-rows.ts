import { setImmediate } from 'node:timers/promises';

/** Where a document's rows are. */
export interface Place {
  readonly segment: number;
  /** First of its live rows, which come one after the other. */
  readonly row: number;
}

const FIRST_CAPACITY = 1024;
/** Ordinals that are looked at in one go: some milliseconds' worth. */
const ORDS_AT_ONCE = 250_000;

/** By ordinal, the segment and the first row of each document that has vectors: six bytes an ordinal. */
export class DocumentRows {
  /** First row and one; 0 for none. */
  #rows = new Uint32Array(FIRST_CAPACITY);
  #segments = new Uint16Array(FIRST_CAPACITY);
  #size = 0;
  /** Segments whose rows are elsewhere now, while the table still names them. */
  readonly #redirects = new Map<number, (row: number) => Place>();

  /** Documents that have vectors. */
  get size(): number {
    return this.#size;
  }

  /** Bytes that the table takes. */
  get bytes(): number {
    return this.#rows.byteLength + this.#segments.byteLength;
  }

  get(ord: number): Place | undefined {
    const row = this.#rows[ord] ?? 0;
    if (row === 0) return undefined;
    let place: Place = { segment: this.#segments[ord]!, row: row - 1 };
    for (let to = this.#redirects.get(place.segment); to !== undefined; to = this.#redirects.get(place.segment)) place = to(place.row);
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

  /** Says that the rows of a segment, to which nothing is written any more, are elsewhere; `settle` follows. */
  redirect(segment: number, to: (row: number) => Place): void {
    this.#redirects.set(segment, to);
  }

  /** Writes into the table what was redirected, in slices. */
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
