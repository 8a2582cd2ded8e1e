// `node truth-child.ts FOLDER/truth-job.json` writes the true neighbours and prints facts about the collection. They
// are found by our own exact scan, which is verified with plain loops for some queries.
import { readFileSync, writeFileSync } from 'node:fs';
import { VectorIndex, WorkerPool } from '../../src/search/vector/index.ts';
import { filterOf } from '../peers/vectors/filter.ts';
import { ALL, isChosen, K } from '../peers/vectors/job.ts';
import { readNumbers, RowsFile, rowsOf } from '../peers/vectors/rows-file.ts';
import { distanceOf } from '../peers/vectors/updates.ts';
import type { TruthJob, TruthSummary } from './truth.ts';

/**
 * Number of neighbours for the estimate of the intrinsic dimension, and a reserve for rows that are as near as the
 * tenth.
 */
const NEIGHBOURS = 50;
const CHECKED = 2;
/** Scores are rounded to 32 bits. */
const ROUNDING = 3e-7;
const BATCH = 1000;

const job = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as TruthJob;
const { base, count, dims, metric, shares, out } = job;
const queries = rowsOf(readNumbers(job.queries), dims);
const pool = new WorkerPool();
const index = new VectorIndex({ pool });
const rows = new RowsFile(base, dims);
for (let first = 0; first < count; first += BATCH) {
  for (const [i, vector] of rowsOf(rows.read(first, Math.min(BATCH, count - first)), dims).entries())
    index.put(first + i, [{ vector }]);
}

const truth: Record<string, number[][]> = {};
const dimensions: number[] = [];
for (const share of [ALL, ...shares]) {
  const filter = share === ALL ? undefined : filterOf(count, share);
  truth[share] = [];
  for (const [i, vector] of queries.entries()) {
    const { hits } = await index.search({ vector, metric, k: NEIGHBOURS, ...(filter && { filter }) });
    const worst = hits[Math.min(K, hits.length) - 1]?.score ?? 0;
    if (i < CHECKED) check(vector, share, hits.length < K ? undefined : distanceAt(worst));
    if (share === ALL) dimensions.push(intrinsicDimension(hits.map(({ score }) => distanceAt(score))));
    truth[share].push(hits.filter(({ score }) => score >= worst).map(({ ord }) => ord));
  }
}
writeFileSync(out, JSON.stringify(truth));
const summary: TruthSummary = {
  intrinsicDimension: 1 / (dimensions.reduce((sum, each) => sum + 1 / each, 0) / dimensions.length),
};
process.stdout.write(JSON.stringify(summary), () => process.exit(0));

/** The distance; for the cosine, of vectors of length 1. */
function distanceAt(score: number): number {
  return metric === 'euclidean' ? 1 / score - 1 : Math.sqrt(Math.max(0, 2 - 2 * score));
}

function check(query: Float32Array, share: number, tenth: number | undefined): void {
  const all = rows.read(0, count);
  const distances: number[] = [];
  for (let row = 0; row < count; row++)
    if (isChosen(row, share)) distances.push(distanceOf(query, all.subarray(row * dims, (row + 1) * dims), metric));
  distances.sort((a, b) => a - b);
  if (tenth === undefined) return;
  const expected = metric === 'euclidean'
    ? Math.sqrt(distances[K - 1]!)
    : Math.sqrt(Math.max(0, 2 * distances[K - 1]!));
  const scoreOf = (distance: number) => (metric === 'euclidean' ? 1 / (1 + distance) : 1 - distance ** 2 / 2);
  if (Math.abs(scoreOf(expected) - scoreOf(tenth)) > ROUNDING)
    throw new Error(`the scan finds the tenth at ${tenth}, plain loops at ${expected}`);
}

/** The maximum-likelihood estimate of Levina and Bickel from the distances of the nearest. */
function intrinsicDimension(distances: readonly number[]): number {
  const farthest = distances.at(-1)!;
  const near = distances.slice(0, -1).filter((distance) => distance > 0);
  return near.length / near.reduce((sum, distance) => sum + Math.log(farthest / distance), 0);
}
