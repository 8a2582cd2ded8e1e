import { familyOf, type RolePrefixes } from './model-families.ts';
import { EmbeddingError, type EmbeddingRole } from './provider.ts';

/** Undefined for a model that needs no prefixes, by its name. */
export function rolePrefixes(model: string): RolePrefixes | undefined {
  return familyOf(model)?.prefixes;
}

/**
 * The texts in the form that the model expects; a lone surrogate becomes U+FFFD, because JSON parsers and tokenizers
 * refuse it.
 */
export function withPrefix(texts: readonly string[], role: EmbeddingRole,
  prefixes: RolePrefixes | undefined): string[]
{
  const prefix = prefixes?.[role] ?? '';
  return texts.map((text) => prefix + text.toWellFormed());
}

/** A text for everything that makes vectors of the same model incomparable; `plain` if there is nothing. */
export function variantOf(parts: readonly string[], prefixes: RolePrefixes | undefined): string {
  const all = prefixes === undefined ? parts : [...parts, `prefix=${prefixes.name}`];
  return all.length === 0 ? 'plain' : all.join(',');
}

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

// Squares of components outside these bounds underflow or overflow in 32-bit floats, with which searches compute.
const SMALLEST_SQUARE = 2 ** -126;
const LARGEST_SQUARE = 3.4e38;

/**
 * Checks and returns the vectors of a response. An unusable vector must never be stored: it would rank at random or not
 * at all, without an explanation. Throws EmbeddingError for a wrong count or size, a component that is not a finite
 * number, and a length of zero (which has no direction to compare). None of these is retryable, because the same model
 * would return the same vector again.
 */
export function usableVectors(answer: unknown, count: number, size: VectorSize, provider: string): Float32Array[] {
  const fail = (problem: string): never => {
    throw new EmbeddingError(`the embedding provider ${provider} gave ${problem}`, { retryable: false });
  };
  if (!Array.isArray(answer)) return fail('an answer without embeddings');
  if (answer.length !== count)
    return fail(`${answer.length} embeddings for ${count} ${count === 1 ? 'text' : 'texts'}`);
  const vectors = answer.map((values: unknown, i) =>
    toVector(values) ?? fail(`something else than a list of numbers as embedding ${i + 1}`)
  );
  vectors.forEach((vector, i) => {
    const flaw = flawOf(vector);
    if (flaw !== undefined) fail(`an unusable embedding for text ${i + 1}: ${flaw}`);
  });
  // Sizes are checked last, so that a response with another defect does not determine the expected size.
  const odd = vectors.find((vector) => vector.length !== vectors[0]!.length);
  if (odd !== undefined) fail(`vectors of different sizes, ${vectors[0]!.length} and ${odd.length}`);
  for (const vector of vectors) {
    if (!size.admits(vector.length))
      fail(
        `vectors of ${vector.length} dimensions, expected ${size.value}: set the dimensions to what the model ` +
          'gives, or choose another model',
      );
  }
  return vectors;
}

function toVector(values: unknown): Float32Array | undefined {
  if (values instanceof Float32Array) return values;
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'number')) return undefined;
  return Float32Array.from(values);
}

function flawOf(vector: Float32Array): string | undefined {
  if (vector.length === 0) return 'it is empty';
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (!Number.isFinite(squares)) return 'a component is not finite';
  if (squares < SMALLEST_SQUARE) return 'all components are zero';
  return squares > LARGEST_SQUARE ? 'its components are too large' : undefined;
}
