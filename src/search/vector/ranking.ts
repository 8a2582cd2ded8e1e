import { type Metric, METRIC_CODES } from './ann-index.ts';
import type { RowHit } from './segment-search.ts';
import type { Segment } from './segment.ts';

/** An allocator: a segment, or the interface of it that structures have. */
interface Allocator {
  allocateScratch(bytes: number): number;
  release(address: number, bytes: number): void;
}

/** Memory for one operation, freed all at once. */
export class Scratch {
  readonly #owner: Allocator;
  readonly #chunks: [address: number, bytes: number][] = [];

  constructor(owner: Allocator) {
    this.#owner = owner;
  }

  allocate(bytes: number): number {
    const address = this.#owner.allocateScratch(bytes);
    this.#chunks.push([address, bytes]);
    return address;
  }

  /** Takes ownership of a chunk that another object has allocated. */
  adopt(address: number, bytes: number): void {
    this.#chunks.push([address, bytes]);
  }

  release(): void {
    for (const [address, bytes] of this.#chunks.splice(0)) this.#owner.release(address, bytes);
  }
}

/** A result: a document, and its chunk. */
export interface Hit {
  readonly ord: number;
  /** Index of the chunk in its document, from 0. */
  readonly chunk: number;
  /** Cosine, dot product, or 1 / (1 + distance), rounded to a 32-bit float. */
  readonly score: number;
}

/** Loads full vectors of chunks, in their order; undefined for a missing vector, whose chunk keeps its score. */
export type Rescoring = (
  chunks: readonly { readonly ord: number; readonly chunk: number }[],
) => Promise<readonly (Float32Array | undefined)[]>;

/** The k best hits of all segments; with `perDocument`, one row per document. */
export function bestOf(found: readonly RowHit[], k: number, perDocument: boolean): RowHit[] {
  const sorted = found.toSorted((a, b) =>
    b.rank - a.rank || a.ord - b.ord || (a.segment === b.segment ? a.row - b.row : 0)
  );
  if (!perDocument) return sorted.slice(0, k);
  const seen = new Set<number>();
  return sorted.filter(({ ord }) => seen.size < k && !seen.has(ord) && seen.add(ord));
}

/**
 * Computes scores in 64 bits and rounds them to 32, so that equal vectors score 1 and equal similarities have equal
 * scores; best first. Rows that were removed since they were found are omitted.
 */
export function scoreHits(rows: readonly RowHit[], vector: Float32Array, metric: Metric,
  rescoring: Rescoring | undefined): Promise<Hit[]>
{
  return scoreRows(rows, vector, metric, rescoring, (hit) => hit);
}

/** The same; `toHit` adds to a hit what is known of its row. */
export async function scoreRows<H extends Hit>(rows: readonly RowHit[], vector: Float32Array, metric: Metric,
  rescoring: Rescoring | undefined, toHit: (hit: Hit, row: RowHit) => H): Promise<H[]>
{
  const full = rescoring === undefined ? undefined : await fullVectors(rows, rescoring);
  const segments = new Set(rows.map(({ segment }) => segment));
  const hits = [...segments].flatMap((segment) =>
    hitsOf(segment, segments.size === 1 ? rows : rows.filter((row) => row.segment === segment), vector, metric, full,
      toHit)
  );
  return hits.sort((a, b) => b.score - a.score || a.ord - b.ord || a.chunk - b.chunk);
}

/** The hits of one segment, in the order of the rows. */
function hitsOf<H extends Hit>(segment: Segment, rows: readonly RowHit[], vector: Float32Array, metric: Metric,
  full: ReadonlyMap<RowHit, Float32Array> | undefined, toHit: (hit: Hit, row: RowHit) => H): H[]
{
  const scratch = new Scratch(segment);
  try {
    const [query, other] = [scratch.allocate(segment.dims * 4), scratch.allocate(segment.dims * 4)];
    const [list, scores, chunks] = [scratch.allocate(rows.length * 4), scratch.allocate(rows.length * 4),
      scratch.allocate(rows.length * 4)];
    segment.rows.f32(query, segment.dims).set(vector);
    const numbers = segment.rows.u32(list, rows.length);
    for (let i = 0; i < rows.length; i++) numbers[i] = rows[i]!.row;
    segment.call.exactScores(query, METRIC_CODES[metric], list, rows.length, scores, chunks);
    const [scored, chunk] = [segment.rows.f32(scores, rows.length), segment.rows.u32(chunks, rows.length)];
    const hits: H[] = [];
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      if (segment.call.isLive(row.row) === 0) continue;
      const whole = full?.get(row);
      if (whole !== undefined) segment.rows.f32(other, segment.dims).set(whole);
      const score = whole === undefined
        ? scored[i]!
        : Math.fround(segment.call.exactScoreOf(query, METRIC_CODES[metric], other));
      hits.push(toHit({ ord: row.ord, chunk: chunk[i]!, score }, row));
    }
    return hits;
  } finally {
    scratch.release();
  }
}

function chunkOf({ segment, row }: RowHit): number {
  return segment.call.chunkOf(row) >>> 0;
}

async function fullVectors(rows: readonly RowHit[], rescoring: Rescoring): Promise<Map<RowHit, Float32Array>> {
  const wanted = rows.filter(({ segment }) => segment.type !== 'float32');
  const vectors = wanted.length === 0
    ? []
    : await rescoring(wanted.map((row) => ({ ord: row.ord, chunk: chunkOf(row) })));
  const full = new Map<RowHit, Float32Array>();
  for (const [i, row] of wanted.entries()) {
    const vector = vectors[i];
    if (vector !== undefined && vector.length === row.segment.dims) full.set(row, vector);
  }
  return full;
}
