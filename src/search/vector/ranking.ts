import { METRIC_CODES, type Metric } from './ann-index.ts';
import { Scratch } from './scratch.ts';
import type { Segment } from './segment.ts';
import type { RowHit } from './segment-search.ts';

/** A result: a document, and its chunk. */
export interface Hit {
  readonly ord: number;
  /** Index of the chunk in its document, from 0. */
  readonly chunk: number;
  /** Cosine, dot product, or 1 / (1 + distance), rounded to a 32-bit float. */
  readonly score: number;
}

/** Loads full vectors of chunks, in their order; undefined for a missing vector, whose chunk keeps its score. */
export type Rescoring = (chunks: readonly { readonly ord: number; readonly chunk: number }[]) => Promise<readonly (Float32Array | undefined)[]>;

/** The k best hits of all segments; with `perDocument`, one row per document. */
export function bestOf(found: readonly RowHit[], k: number, perDocument: boolean): RowHit[] {
  const sorted = found.toSorted((a, b) => b.rank - a.rank || a.ord - b.ord || (a.segment === b.segment ? a.row - b.row : 0));
  if (!perDocument) return sorted.slice(0, k);
  const seen = new Set<number>();
  return sorted.filter(({ ord }) => seen.size < k && !seen.has(ord) && seen.add(ord));
}

/**
 * Computes scores in 64 bits and rounds them to 32, so that equal vectors score 1 and equal similarities have equal scores; best first.
 * Rows that were removed since they were found are omitted.
 */
export async function scoreHits(rows: readonly RowHit[], vector: Float32Array, metric: Metric, rescoring: Rescoring | undefined): Promise<Hit[]> {
  const full = rescoring === undefined ? undefined : await fullVectors(rows, rescoring);
  const queries = new Queries(vector);
  try {
    const hits: Hit[] = [];
    for (const row of rows) {
      const { call } = row.segment;
      if (call.isLive(row.row) === 0) continue;
      hits.push({ ord: row.ord, chunk: chunkOf(row), score: Math.fround(queries.score(row, metric, full?.get(row))) });
    }
    return hits.sort((a, b) => b.score - a.score || a.ord - b.ord || a.chunk - b.chunk);
  } finally {
    queries.release();
  }
}

function chunkOf({ segment, row }: RowHit): number {
  return segment.call.chunkOf(row) >>> 0;
}

async function fullVectors(rows: readonly RowHit[], rescoring: Rescoring): Promise<Map<RowHit, Float32Array>> {
  const wanted = rows.filter(({ segment }) => segment.type !== 'float32');
  const vectors = wanted.length === 0 ? [] : await rescoring(wanted.map((row) => ({ ord: row.ord, chunk: chunkOf(row) })));
  const full = new Map<RowHit, Float32Array>();
  for (const [i, row] of wanted.entries()) {
    const vector = vectors[i];
    if (vector !== undefined && vector.length === row.segment.dims) full.set(row, vector);
  }
  return full;
}

/** The query in the memory of each segment that has hits, with a buffer for a full vector. */
class Queries {
  readonly #vector: Float32Array;
  readonly #places = new Map<Segment, { query: number; other: number; scratch: Scratch }>();

  constructor(vector: Float32Array) {
    this.#vector = vector;
  }

  score({ segment, row }: RowHit, metric: Metric, full: Float32Array | undefined): number {
    const { query, other } = this.#placeIn(segment);
    if (full === undefined) return segment.call.exactScore(query, METRIC_CODES[metric], row);
    segment.rows.f32(other, segment.dims).set(full);
    return segment.call.exactScoreOf(query, METRIC_CODES[metric], other);
  }

  release(): void {
    for (const { scratch } of this.#places.values()) scratch.release();
  }

  #placeIn(segment: Segment): { query: number; other: number } {
    let place = this.#places.get(segment);
    if (place === undefined) {
      const scratch = new Scratch(segment);
      place = { query: scratch.allocate(segment.dims * 4), other: scratch.allocate(segment.dims * 4), scratch };
      segment.rows.f32(place.query, segment.dims).set(this.#vector);
      this.#places.set(segment, place);
    }
    return place;
  }
}
