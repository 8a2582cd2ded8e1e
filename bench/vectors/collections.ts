import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Truth } from '../peers/vectors/index.ts';
import { ALL } from '../peers/vectors/job.ts';
import { corpusFolder } from '../support/corpus.ts';
import { scaled } from '../support/scale.ts';
import { writeMixture } from './generator.ts';
import { findTruth } from './truth.ts';

/** Vectors, queries and their true neighbours, as files. */
export interface Collection {
  readonly name: string;
  readonly base: string;
  readonly count: number;
  readonly dims: number;
  readonly metric: 'cosine' | 'euclidean';
  readonly queries: string;
  readonly truth: string;
  readonly intrinsicDimension: number;
  readonly isReal: boolean;
}

export const SHARES = [0.5, 0.05, 0.005];
const QUERIES = Math.round(scaled(200, 50));
const SEED = 0x51;

export const REAL = ['sift128', 'glove50', 'mnist784'] as const;

/** A set of real vectors whose neighbours are known; undefined if it is not available. */
export async function realCollection(folder: string, name: (typeof REAL)[number]): Promise<Collection | undefined> {
  const from = corpusFolder('vec');
  if (from === undefined) return undefined;
  const source = (suffix: string) => join(from, `${name}.${suffix}`);
  const { n: count, dim: dims, metric: kind, k } = JSON.parse(readFileSync(source('json'), 'utf8')) as { n: number;
    dim: number; metric: string; k: number };
  const base = join(folder, `${name}.base`);
  writeFileSync(base, gunzipSync(readFileSync(source('base.f32.gz'))));
  const collection = {
    name,
    base,
    count,
    dims,
    metric: kind === 'cosine' ? 'cosine' as const : 'euclidean' as const,
    queries: source('queries.f32'),
    truth: join(folder, `${name}.truth`),
    isReal: true,
  };
  const { intrinsicDimension } = await findTruth(folder, { ...collection, shares: SHARES, out: collection.truth });
  // Without a filter, the neighbours that are included in the set are used, not ours.
  const truth = JSON.parse(readFileSync(collection.truth, 'utf8')) as Truth;
  writeFileSync(collection.truth,
    JSON.stringify({ ...truth, [ALL]: givenNeighbours(source('gt.i32'), source('gtdist.f32'), k) }));
  return { ...collection, intrinsicDimension };
}

/** The ten nearest of each query, and those that are as near as the tenth. */
function givenNeighbours(rowsFile: string, distancesFile: string, k: number): number[][] {
  const rows = new Int32Array(Uint8Array.from(readFileSync(rowsFile)).buffer);
  const distances = new Float32Array(Uint8Array.from(readFileSync(distancesFile)).buffer);
  return Array.from({ length: rows.length / k }, (_, query) => {
    const limit = distances[query * k + 9]!;
    return [...rows.subarray(query * k, (query + 1) * k)].filter((_row, i) => distances[query * k + i]! <= limit);
  });
}

/** Files of generated vectors; collections use the first ones. */
export interface Generated {
  readonly base: string;
  readonly queries: string;
  readonly dims: number;
}

export function generate(folder: string, dims: number, count: number): Generated {
  const [base, queries] = [join(folder, `mixture-${dims}.base`), join(folder, `mixture-${dims}.queries`)];
  writeMixture(dims, SEED + dims, [{ file: queries, count: QUERIES }, { file: base, count }]);
  return { base, queries, dims };
}

/**
 * The first `count` generated vectors: with the Euclidean distance, like image descriptors, or the cosine, like text
 * embeddings.
 */
export async function generatedCollection(folder: string, { base, queries, dims }: Generated,
  count: number): Promise<Collection>
{
  const collection = {
    name: 'generated',
    base,
    queries,
    dims,
    count,
    metric: dims < 256 ? 'euclidean' as const : 'cosine' as const,
    truth: join(folder, `mixture-${dims}-${count}.truth`),
    isReal: false,
  };
  const { intrinsicDimension } = await findTruth(folder, { ...collection, shares: SHARES, out: collection.truth });
  return { ...collection, intrinsicDimension };
}
