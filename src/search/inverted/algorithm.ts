import { Algorithm, ALL_FIELDS, FIELD_COUNT, type ScoringParameters } from '../../kernels/inverted.ts';

/**
 * How documents are scored. `fields` lists the fields in which a term counts (default: all); `bm25f` takes them
 * from its weights, by field, where 0 leaves a field out.
 */
export type ScoringAlgorithm =
  | { readonly kind: 'tfidf'; readonly fields?: readonly number[] }
  | { readonly kind: 'bm25'; readonly k1?: number; readonly b?: number; readonly fields?: readonly number[] }
  | { readonly kind: 'bm25f'; readonly weights: readonly number[]; readonly k1?: number; readonly b?: number };

/** What the formulas need to know of a collection: live documents, and sums of their lengths. */
export interface CollectionCounts {
  readonly live: number;
  /** Sum of lengths over all fields, then in each field. */
  readonly lengths: ArrayLike<number>;
  /** Documents in which each field has a token. */
  readonly fieldDocuments: ArrayLike<number>;
}

/** k1 and b unless the query says otherwise (decisions D-82, D-83). */
export const DEFAULT_K1 = 1.2;
export const DEFAULT_B = 0.75;

/** An algorithm over a collection, as the kernel and the weights of terms need it. */
export interface Scoring {
  readonly parameters: ScoringParameters;
  /** The factor W of a term that so many live documents have (see asm/inverted/scoring.ts). */
  weightOf(documents: number): number;
}

/** Throws a RangeError when a parameter is out of its range. */
export function scoringFor(algorithm: ScoringAlgorithm, counts: CollectionCounts): Scoring {
  switch (algorithm.kind) {
    case 'tfidf': return tfidf(algorithm.fields, counts);
    case 'bm25': return bm25(algorithm, counts);
    case 'bm25f': return bm25f(algorithm, counts);
  }
}

const UNUSED = Array.from({ length: FIELD_COUNT }, () => 0);

/** tf / len * ln(1 + N / df), decision D-81. */
function tfidf(fields: readonly number[] | undefined, { live }: CollectionCounts): Scoring {
  return {
    parameters: { algorithm: Algorithm.tfidf, fields: bitsOf(fields), c0: 0, c1: 0, rest: 0, weights: UNUSED, norms: UNUSED },
    weightOf: (documents) => Math.log(1 + live / documents),
  };
}

/** idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len / avglen)), decision D-82. */
function bm25({ k1 = DEFAULT_K1, b = DEFAULT_B, fields }: { k1?: number; b?: number; fields?: readonly number[] }, counts: CollectionCounts): Scoring {
  checkParameters(k1, b);
  const bits = bitsOf(fields);
  const average = averageLength(bits, counts);
  return {
    parameters: { algorithm: Algorithm.bm25, fields: bits, c0: k1 * (1 - b), c1: (k1 * b) / average, rest: 0, weights: UNUSED, norms: UNUSED },
    weightOf: (documents) => inverseDocumentFrequency(documents, counts.live) * (k1 + 1),
  };
}

/** Sum of idf * t / (k1 + t) where t = sum over fields of w_f * tf_f / (1 - b + b * len_f / avglen_f), decision D-83. */
function bm25f({ weights, k1 = DEFAULT_K1, b = DEFAULT_B }: { weights: readonly number[]; k1?: number; b?: number }, counts: CollectionCounts): Scoring {
  checkParameters(k1, b);
  const byField = UNUSED.map((_, field) => weights[field] ?? 0);
  if (byField.some((weight) => !(weight >= 0 && Number.isFinite(weight)))) throw new RangeError(`a field's weight is a number of at least 0, got ${weights.join(', ')}`);
  const norms = byField.map((_, field) => b / Math.max(averageOfField(field, counts), Number.MIN_VALUE));
  return {
    parameters: {
      algorithm: Algorithm.bm25f, fields: byField.reduce((bits, weight, field) => (weight > 0 ? bits | (1 << field) : bits), 0),
      c0: k1, c1: 0, rest: 1 - b, weights: byField, norms: norms.map((norm) => (Number.isFinite(Math.fround(norm)) ? norm : 0)),
    },
    weightOf: (documents) => inverseDocumentFrequency(documents, counts.live),
  };
}

/** ln((N - df + 0.5) / (df + 0.5) + 1), decision D-82. */
export function inverseDocumentFrequency(documents: number, live: number): number {
  return Math.log((live - documents + 0.5) / (documents + 0.5) + 1);
}

/** Average length of a document over the fields that count; at least a token, so that empty collections divide by something. */
function averageLength(bits: number, { live, lengths }: CollectionCounts): number {
  let sum = 0;
  if (bits === ALL_FIELDS) sum = lengths[0]!;
  else for (let field = 0; field < FIELD_COUNT; field++) if ((bits & (1 << field)) !== 0) sum += lengths[field + 1]!;
  return sum > 0 ? sum / live : 1;
}

/** Average length of a field over the documents that have it. */
function averageOfField(field: number, { lengths, fieldDocuments }: CollectionCounts): number {
  return fieldDocuments[field]! > 0 ? lengths[field + 1]! / fieldDocuments[field]! : 1;
}

function bitsOf(fields: readonly number[] | undefined): number {
  if (fields === undefined) return ALL_FIELDS;
  for (const field of fields) if (!(Number.isInteger(field) && field >= 0 && field < FIELD_COUNT)) throw new RangeError(`a field is a number from 0 to ${FIELD_COUNT - 1}, got ${field}`);
  return fields.reduce((bits, field) => bits | (1 << field), 0);
}

/** b of 0 would multiply the infinite length of a deleted document by 0, so it has to be positive. */
function checkParameters(k1: number, b: number): void {
  if (!(k1 > 0 && k1 <= 1000)) throw new RangeError(`k1 is a number above 0 and at most 1000, got ${k1}`);
  if (!(b >= 0.001 && b <= 1)) throw new RangeError(`b is a number from 0.001 to 1, got ${b}`);
}
