/** Largest size of vectors that anyone can ask for (`SVC_EMBEDDING_DIMENSIONS`). */
export const MOST_DIMENSIONS = 16_384;

/**
 * The size that all vectors of one provider must have: told beforehand, or else taken from the first
 * answer and held to from then on.
 */
export class VectorSize {
  readonly #fallback: number;
  #known: number | undefined;

  /** `known`: undefined lets the first vector decide; `fallback` is shown until then. */
  constructor(known: number | undefined, fallback: number) {
    this.#known = known;
    this.#fallback = fallback;
  }

  get value(): number {
    return this.#known ?? this.#fallback;
  }

  /** No vector of an answer has more components than this, if it is any good. */
  get most(): number {
    return this.#known ?? MOST_DIMENSIONS;
  }

  /** True when a vector of this size belongs to the others; the first one asked about always does. */
  admits(size: number): boolean {
    this.#known ??= size;
    return size === this.#known;
  }
}
