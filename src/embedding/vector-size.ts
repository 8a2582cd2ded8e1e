/** Maximum vector size that can be configured (`SVC_EMBEDDING_DIMENSIONS`). */
export const MOST_DIMENSIONS = 16_384;

/**
 * The size that all vectors of one provider must have: configured, or otherwise taken from the first response and then
 * required.
 */
export class VectorSize {
  readonly #fallback: number;
  #known: number | undefined;

  /** `known`: if undefined, the first vector decides; `fallback` is reported until then. */
  constructor(known: number | undefined, fallback: number) {
    this.#known = known;
    this.#fallback = fallback;
  }

  get value(): number {
    return this.#known ?? this.#fallback;
  }

  /** Valid vectors never have more components than this. */
  get most(): number {
    return this.#known ?? MOST_DIMENSIONS;
  }

  /** Returns true if a vector of this size matches the others; the first one that is checked always does. */
  admits(size: number): boolean {
    this.#known ??= size;
    return size === this.#known;
  }
}
