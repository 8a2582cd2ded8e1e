import { Algorithm, type FieldFactor, OWN_FIELDS, PLAIN_FIELDS,
  type ScoringParameters } from '../../kernels/inverted.ts';
import { type Field, SHARED_FIELD } from './fields.ts';

/**
 * How documents are scored. `fields` lists the fields in which a term counts (default: all but the derived ones, see
 * `OWN_FIELDS`); for `tfidf` and `bm25f` these are the fields in `weights`, except those with weight 0. `tfidf` treats
 * all named fields as one: its weight is that of `SHARED_FIELD`, or else the largest weight of a named field, and then
 * only the fields with a weight count. Without weights, every field has weight 1. Fields that no document has are
 * ignored.
 */
export type ScoringAlgorithm = { readonly kind: 'tfidf'; readonly weights?: ReadonlyMap<Field, number> } | {
  readonly kind: 'bm25';
  readonly k1?: number;
  readonly b?: number;
  readonly fields?: readonly Field[];
} | { readonly kind: 'bm25f'; readonly weights: ReadonlyMap<Field, number>; readonly k1?: number; readonly b?: number };

/** The statistics of a collection that the formulas use. */
interface Collection {
  /** Number of live documents, and of their tokens. */
  readonly live: number;
  readonly tokens: number;
  /** The number of a field; undefined for a name that no document has had. */
  numberOf(field: Field): number | undefined;
  /** Tokens of live documents in a field, and the number of live documents that have a token there. */
  countsOf(field: number): { readonly tokens: number; readonly documents: number };
}

/** How strongly the pivoted length of a field depends on its length (Singhal, Buckley and Mitra, SIGIR 1996). */
export const SLOPE = 0.25;
/**
 * The frequency at which a term has reached half of what it can count. Without a limit, a page that repeats one word of
 * a sentence outweighs those that have more of them. Chosen with Cranfield, MED and questions about MDN; of 1.2 to 8,
 * neighbours rank about as well.
 */
export const SATURATION = 4;
/** Default values of k1 and b, those of Lucene. */
export const DEFAULT_K1 = 1.2;
export const DEFAULT_B = 0.75;

/** An algorithm for a collection, in the form that the kernel and the weights of terms need. */
export interface Scoring {
  readonly parameters: ScoringParameters;
  /** Bits of fields, in the kernel's encoding; a form that occurs only in these fields counts at every occurrence. */
  readonly countedFields: number;
  /** The factor W of a term that occurs in this number of live documents (see asm/inverted/scoring.ts). */
  weightOf(documents: number): number;
}

/** Throws a RangeError when a parameter is out of its range. */
export function scoringFor(algorithm: ScoringAlgorithm, collection: Collection): Scoring {
  switch (algorithm.kind) {
    case 'tfidf':
      return tfidf(algorithm.weights, collection);
    case 'bm25':
      return bm25(algorithm, collection);
    case 'bm25f':
      return bm25f(algorithm, collection);
  }
}

const EVERY_FIELD: ReadonlyMap<Field, number> = new Map(
  Array.from({ length: PLAIN_FIELDS + 1 }, (_, field) => [field, 1]),
);

/**
 * x * (k + 1) / (x + k) * ln(1 + N / df), where x is the sum over fields of w_f * (1 + ln tf_f) /
 * (1 - s + s * len_f / avglen_f), s is `SLOPE`, with the pivot of Singhal, Buckley and Mitra (SIGIR 1996), and k is
 * `SATURATION`.
 */
function tfidf(weights: ReadonlyMap<Field, number> = EVERY_FIELD, collection: Collection): Scoring {
  const factors: FieldFactor[] = [];
  let further = 0;
  let isShared = false;
  for (const [name, weight] of weights) {
    checkWeight(weight);
    const field = collection.numberOf(name);
    if (field === undefined || weight === 0) continue;
    if (field > SHARED_FIELD) factors.push({ field, weight, norm: 0 });
    isShared ||= field === SHARED_FIELD;
    if (field >= SHARED_FIELD) further = Math.max(further, weight);
    else factors.push({ field, weight, norm: SLOPE / averageOfField(field, collection) });
  }
  if (further > 0) factors.push({ field: SHARED_FIELD, weight: further, norm: SLOPE / averageOfFurther(collection) });
  return {
    parameters: {
      algorithm: Algorithm.tfidf,
      c0: weights.has(SHARED_FIELD) ? 0 : isShared ? 2 : 1,
      c1: SATURATION,
      rest: 1 - SLOPE,
      factors,
    },
    // A single form is summed like a group, because its frequencies in several fields do not simply add up.
    countedFields: 0,
    weightOf: (documents) => Math.log(1 + collection.live / documents),
  };
}

/** Average total length of all named fields over all documents. */
function averageOfFurther({ live, tokens, countsOf }: Collection): number {
  let further = tokens;
  for (let field = 0; field < OWN_FIELDS; field++) further -= countsOf(field).tokens;
  return further > 0 ? further / live : 1;
}

/** idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len / avglen)). */
function bm25({ k1 = DEFAULT_K1, b = DEFAULT_B, fields }: { k1?: number; b?: number; fields?: readonly Field[] },
  collection: Collection): Scoring
{
  checkParameters(k1, b);
  const factors = alike(fields, collection);
  return {
    parameters: {
      algorithm: Algorithm.bm25,
      c0: k1 * (1 - b),
      c1: (k1 * b) / averageLength(factors, collection),
      rest: 0,
      factors,
    },
    countedFields: bitsOf(factors),
    weightOf: (documents) => inverseDocumentFrequency(documents, collection.live) * (k1 + 1),
  };
}

/** Sum of idf * t / (k1 + t) where t = sum over fields of w_f * tf_f / (1 - b + b * len_f / avglen_f). */
function bm25f(
  { weights, k1 = DEFAULT_K1, b = DEFAULT_B }: { weights: ReadonlyMap<Field, number>; k1?: number; b?: number },
  collection: Collection,
): Scoring {
  checkParameters(k1, b);
  const byNumber = new Map<number, number>();
  for (const [field, weight] of weights) {
    checkWeight(weight);
    const number = collection.numberOf(field);
    // Named fields that share a number share the largest of their weights.
    if (number !== undefined && weight > 0) byNumber.set(number, Math.max(weight, byNumber.get(number) ?? 0));
  }
  const factors = [...byNumber].map(([field, weight]) => ({
    field,
    weight,
    norm: b / averageOfField(field, collection),
  }));
  return {
    parameters: { algorithm: Algorithm.bm25f, c0: k1, c1: 0, rest: 1 - b, factors },
    countedFields: bitsOf(factors),
    weightOf: (documents) => inverseDocumentFrequency(documents, collection.live),
  };
}

/** ln((N - df + 0.5) / (df + 0.5) + 1), as in Lucene. */
function inverseDocumentFrequency(documents: number, live: number): number {
  return Math.log((live - documents + 0.5) / (documents + 0.5) + 1);
}

/**
 * Average length of a document over the fields that count (by default all but the derived ones); at least one token, so
 * that empty collections do not divide by 0.
 */
function averageLength(factors: readonly FieldFactor[] | undefined, { live, tokens, countsOf }: Collection): number {
  const sum = factors === undefined ? tokens : factors.reduce((all, { field }) => all + countsOf(field).tokens, 0);
  return sum > 0 ? sum / live : 1;
}

/** Average length of a field over the documents that have it. */
function averageOfField(field: number, { countsOf }: Collection): number {
  const { tokens, documents } = countsOf(field);
  return documents > 0 ? tokens / documents : 1;
}

/** Fields that count equally; undefined selects all but the derived ones. */
function alike(fields: readonly Field[] | undefined, { numberOf }: Collection): FieldFactor[] | undefined {
  if (fields === undefined) return undefined;
  const numbers = fields.map(numberOf).filter((number) => number !== undefined);
  return [...new Set(numbers)].map((field) => ({ field, weight: 1, norm: 0 }));
}

/** The plain fields that count; without factors, all fields that are not derived, where the named ones share a bit. */
function bitsOf(factors: readonly FieldFactor[] | undefined): number {
  if (factors === undefined) return ((1 << OWN_FIELDS) - 1) | (1 << PLAIN_FIELDS);
  return factors.reduce((bits, { field }) => (field < PLAIN_FIELDS ? bits | (1 << field) : bits), 0);
}

function checkWeight(weight: number): void {
  if (!(weight >= 0 && Number.isFinite(weight)))
    throw new RangeError(`a field's weight is a number of at least 0, got ${weight}`);
}

/** A b of 0 would multiply the infinite length of a deleted document by 0, so b has to be positive. */
function checkParameters(k1: number, b: number): void {
  if (!(k1 > 0 && k1 <= 1000)) throw new RangeError(`k1 is a number above 0 and at most 1000, got ${k1}`);
  if (!(b >= 0.001 && b <= 1)) throw new RangeError(`b is a number from 0.001 to 1, got ${b}`);
}
