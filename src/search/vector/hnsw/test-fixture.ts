import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { KernelBuild } from '../../../kernels/load.ts';
import { type AnnIndex, type Metric, METRIC_CODES } from '../ann-index.ts';
import { WHOLE } from '../parts.ts';
import { Segment } from '../segment.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';

/** Numbers in [0, 1), the same for each seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Vectors in clusters around some centres, like embeddings; with `unit`, of length 1. */
export function clusteredVectors(count: number, dims: number, seed: number, unit = false): Float32Array[] {
  const random = seededRandom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const centres = Array.from({ length: 40 }, () => Float32Array.from({ length: dims }, normal));
  return Array.from({ length: count }, () => {
    const centre = centres[Math.floor(random() * centres.length)]!;
    const vector = centre.map((x) => x + 0.6 * normal());
    return unit ? vector.map((x) => x / Math.hypot(...vector)) : vector;
  });
}

/** Similarity of two vectors, by any metric: higher is nearer. */
export function similarity(a: Float32Array, b: Float32Array, metric: Metric): number {
  let [product, aa, bb, distance] = [0, 0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    product += a[i]! * b[i]!;
    aa += a[i]! ** 2;
    bb += b[i]! ** 2;
    distance += (a[i]! - b[i]!) ** 2;
  }
  if (metric === 'euclidean') return -distance;
  return metric === 'dot_product' || aa * bb === 0 ? product : product / Math.sqrt(aa * bb);
}

/** The k nearest rows to a query among those that count. */
export function exactNearest(vectors: readonly Float32Array[], query: Float32Array, metric: Metric, k: number,
  counts: (row: number) => boolean = () => true): number[]
{
  return vectors.map((vector, row) => ({ row, score: counts(row) ? similarity(query, vector, metric) : -Infinity }))
    .filter(({ score }) => score > -Infinity).toSorted((a, b) => b.score - a.score || a.row - b.row).slice(0, k).map((
      { row },
    ) => row);
}

export interface Found {
  /** Rows as returned by the structure. */
  readonly candidates: readonly number[];
  /** The best k of those, by their vectors. */
  readonly best: readonly number[];
  /** Number of rows compared. */
  readonly scanned: number;
}

/** A segment of rows with known vectors, and searches of one structure over it. */
export class Rows {
  readonly segment: Segment;
  readonly vectors: Float32Array[] = [];
  readonly dead = new Set<number>();

  constructor(pool: WorkerPool, dims: number, build: KernelBuild = 'release', segmentBytes = 2 ** 31) {
    this.segment = new Segment(0, dims, 'float32', { pool, build, factories: [], segmentBytes, parallelMinRows: 2048 });
  }

  add(vectors: readonly Float32Array[]): this {
    for (const vector of vectors) {
      this.segment.write(this.vectors.length, [{ vector }]);
      this.vectors.push(vector);
    }
    return this;
  }

  /** Allocates all the memory that is left in the segment, including freed chunks. */
  fill(): void {
    for (let bytes = 2 ** 24; bytes >= 64;) {
      try {
        this.segment.allocate(bytes);
      } catch {
        bytes = Math.floor(bytes * 0.8);
      }
    }
  }

  remove(row: number): void {
    this.segment.call.kill(row);
    this.dead.add(row);
  }

  /** Searches a structure for `candidates` rows and scores them by their vectors. */
  async search(index: AnnIndex, query: Float32Array, metric: Metric, k: number, candidates: number,
    filter?: (row: number) => boolean, options: Record<string, number> = {}): Promise<Found>
  {
    const { segment } = this;
    const rowCount = segment.rowCount;
    const counts = (row: number) => !this.dead.has(row) && (filter?.(row) ?? true);
    const selected = this.vectors.map((_, row) => row).filter(counts);
    const isFiltered = selected.length < rowCount;
    const [queryBytes, bitmapBytes] = [segment.call.preparedQueryBytes(segment.dims), Math.ceil(rowCount / 64) * 8];
    const [at, bitmap] = [segment.allocateScratch(queryBytes), segment.allocateScratch(bitmapBytes)];
    segment.bytes.fill(0, at, at + queryBytes).fill(0, bitmap, bitmap + bitmapBytes);
    segment.rows.f32(at, segment.dims).set(query);
    segment.call.prepareQuery(at, METRIC_CODES[metric]);
    for (const row of selected) segment.bytes[bitmap + (row >> 3)]! |= 1 << (row & 7);
    const found = await index.search({
      query: at,
      metric,
      k: candidates,
      least: candidates,
      rows: isFiltered ? bitmap : 0,
      rowCount,
      selected: selected.length,
      perDocument: false,
      options,
      portion: WHOLE,
      scoring: { border: rowCount, heap: 0 },
    });
    const rows = [...segment.rows.u32(found.address, found.count)];
    segment.release(found.address, found.bytes);
    segment.release(at, queryBytes);
    segment.release(bitmap, bitmapBytes);
    const best = rows.map((row) => ({ row, score: similarity(query, this.vectors[row]!, metric) })).toSorted((a, b) =>
      b.score - a.score || a.row - b.row
    );
    return { candidates: rows, best: best.slice(0, k).map(({ row }) => row), scanned: found.scanned };
  }

  /** Recall: the share of the true k nearest rows that a structure finds, over all queries. */
  async recall(index: AnnIndex, queries: readonly Float32Array[], metric: Metric, k: number, candidates: number,
    filter?: (row: number) => boolean): Promise<number>
  {
    let [hits, all] = [0, 0];
    for (const query of queries) {
      const truth = new Set(
        exactNearest(this.vectors, query, metric, k, (row) => !this.dead.has(row) && (filter?.(row) ?? true)),
      );
      const { best } = await this.search(index, query, metric, k, candidates, filter);
      hits += best.filter((row) => truth.has(row)).length;
      all += truth.size;
    }
    return hits / all;
  }
}

/** A checkpoint in one piece. */
export async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

/** A checkpoint in many pieces. */
export async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export interface CorpusSet {
  readonly name: string;
  readonly metric: Metric;
  readonly base: Float32Array[];
  readonly queries: Float32Array[];
  /** For each query, the rows of its true neighbours, nearest first. */
  readonly neighbours: Int32Array[];
}

export const CORPUS_SETS = ['sift128', 'glove50', 'mnist784'] as const;

/** Vectors with known neighbours, from the corpora beside the project; undefined if these are missing. */
export function corpusSet(name: (typeof CORPUS_SETS)[number]): CorpusSet | undefined {
  const file = (suffix: string) =>
    fileURLToPath(new URL(`../../../../../shared/corpus/vec/${name}.${suffix}`, import.meta.url));
  if (!existsSync(file('json'))) return undefined;
  const { dim, metric, k } = JSON.parse(readFileSync(file('json'), 'utf8')) as { dim: number; metric: string;
    k: number };
  const floats = (bytes: Buffer) => cut(new Float32Array(Uint8Array.from(bytes).buffer), dim);
  return {
    name,
    metric: metric === 'cosine' ? 'cosine' : 'euclidean',
    base: floats(gunzipSync(readFileSync(file('base.f32.gz')))),
    queries: floats(readFileSync(file('queries.f32'))),
    neighbours: cut(new Int32Array(Uint8Array.from(readFileSync(file('gt.i32'))).buffer), k),
  };
}

function cut<T extends Float32Array | Int32Array>(numbers: T, width: number): T[] {
  return Array.from({ length: numbers.length / width }, (_, i) => numbers.subarray(i * width, (i + 1) * width) as T);
}
