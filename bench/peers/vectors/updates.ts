import { latencyOf } from '../latencies.ts';
import type { VectorEngine, VectorMethod } from './engine.ts';
import { ALL, K, type Updates, type VectorJob } from './job.ts';
import { RowsFile } from './rows-file.ts';
import { cpuSince } from './stopwatch.ts';

/** Number of queries for which recall is measured afterwards, against plain loops. */
const CHECKED = 25;

/**
 * Replaces vectors of rows of the first half by those of rows of the second half, and then removes some of the latter,
 * with a search after each step. The character of the collection does not change, and its final contents are known.
 */
export async function measureUpdates(engine: VectorEngine, method: VectorMethod, job: VectorJob,
  queries: readonly Float32Array[]): Promise<Updates>
{
  const rows = new RowsFile(job.base, job.dims);
  const half = Math.floor(job.count / 2);
  method.use?.(method.usual);
  const times: number[] = [];
  const between = async (act: (i: number) => () => void) => {
    let [done, spent] = [0, 0];
    const most = job.count / 4;
    while (spent < job.updateSeconds * 1000 && done < most) {
      const update = act(done++);
      const begun = performance.now();
      update();
      const updated = performance.now();
      await method.search(done % queries.length, method.usual, ALL);
      const ended = performance.now();
      times.push(ended - updated);
      spent += ended - begun;
    }
    const begun = performance.now();
    await engine.settled?.();
    return { done, perSecond: (done * 1000) / (spent + performance.now() - begun) };
  };
  const cpu = process.cpuUsage();
  const begun = performance.now();
  const moved = await between((i) => engine.replace!(i, rows.read(half + i, 1)));
  const cores = cpuSince(cpu) / ((performance.now() - begun) / 1000);
  const { p50, p99 } = latencyOf(times);
  const removed = await between((i) => () => engine.remove!(half + i));
  const recallAfter = await recallOf(method, queries.slice(0, CHECKED), job, {
    all: rows.read(0, job.count),
    at: (row) => (row < moved.done ? half + row : row >= half && row < half + removed.done ? undefined : row),
  });
  rows.close();
  return { perSecond: moved.perSecond, removalsPerSecond: removed.perSecond, p50, p99, cores, recallAfter };
}

interface Held {
  readonly all: Float32Array;
  /** Which of `all` a row now contains; undefined if it was removed. */
  at(row: number): number | undefined;
}

/** Fraction of the results that are as near as the tenth nearest, by plain loops. */
async function recallOf(method: VectorMethod, queries: readonly Float32Array[], { count, dims, metric }: VectorJob,
  { all, at }: Held): Promise<number>
{
  let found = 0;
  for (const [i, query] of queries.entries()) {
    const distance = (row: number): number => {
      const place = at(row);
      return place === undefined ? Infinity : distanceOf(query, all.subarray(place * dims, (place + 1) * dims), metric);
    };
    const limit = Float64Array.from({ length: count }, (_, row) => distance(row)).sort()[K - 1]!;
    found += (await method.search(i, method.usual, ALL)).filter((row) => distance(row) <= limit).length;
  }
  return found / K / queries.length;
}

/** A number that is smaller the nearer two vectors are, computed with a plain loop. */
export function distanceOf(a: Float32Array, b: Float32Array, metric: VectorJob['metric']): number {
  let [product, aa, bb, squares] = [0, 0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i]!, b[i]!];
    product += x * y;
    aa += x * x;
    bb += y * y;
    squares += (x - y) ** 2;
  }
  return metric === 'euclidean' ? squares : 1 - product / Math.sqrt(aa * bb || 1);
}
