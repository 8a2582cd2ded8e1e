import type { ChunkPlace } from '../vector-rows.ts';

/** Numbers that describe the place of a passage: first and last line, start and end. */
export const PLACE_FIELDS = 4;
const FIRST_PASSAGES = 256;
/** A vector of int8 at 256 dimensions. */
const USUAL_BYTES = 264;

/** Collects the places and the vectors of passages in two arrays, which grow. */
export class PassageWriter {
  #places = new Uint32Array(PLACE_FIELDS * FIRST_PASSAGES);
  #placed = 0;
  #vectors = new Uint8Array(USUAL_BYTES * FIRST_PASSAGES);
  #written = 0;

  add({ startLine, endLine, start, end }: ChunkPlace, vector: Uint8Array): void {
    if (this.#placed === this.#places.length) this.#places = grown(this.#places, new Uint32Array(2 * this.#placed));
    if (this.#written + vector.length > this.#vectors.length)
      this.#vectors = grown(this.#vectors, new Uint8Array(2 * this.#vectors.length + vector.length));
    this.#places[this.#placed] = startLine;
    this.#places[this.#placed + 1] = endLine;
    this.#places[this.#placed + 2] = start;
    this.#places[this.#placed + 3] = end;
    this.#placed += PLACE_FIELDS;
    this.#vectors.set(vector, this.#written);
    this.#written += vector.length;
  }

  /** What was added, in arrays of that size. */
  finish(): { places: Uint32Array<ArrayBuffer>; vectors: Uint8Array<ArrayBuffer> } {
    return { places: this.#places.slice(0, this.#placed), vectors: this.#vectors.slice(0, this.#written) };
  }
}

function grown<T extends { set(other: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}
