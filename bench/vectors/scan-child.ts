// `node scan-child.ts FOLDER/scan-job.json` prints a `ScanResult`: how fast rows and codes are scanned, compared with a
// loop that only reads as many bytes. The kinds take turns, so that other load on the machine affects all of them.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import usearch from 'usearch';
import { type AnnAlgorithm, VectorIndex, type VectorQuery, WorkerPool } from '../../src/search/vector/index.ts';
import { filterOf } from '../peers/vectors/filter.ts';
import { K } from '../peers/vectors/job.ts';
import { readNumbers, RowsFile, rowsOf } from '../peers/vectors/rows-file.ts';
import { median } from '../support/table.ts';
import { compileReadLoop, PAGE, TURN } from './read-loop.ts';
import type { ScanJob, ScanResult } from './scan.ts';

const BATCH = 1000;
const CODES: readonly AnnAlgorithm[] = ['sq', 'sq4', 'bq', 'pq'];

const { base, queries: queriesFile, count, dims, metric, rounds, threads } = JSON.parse(
  readFileSync(process.argv[2]!, 'utf8'),
) as ScanJob;
const queries = rowsOf(readNumbers(queriesFile), dims);
const kinds: Record<string, (round: number) => Promise<void>> = {};
const halves = filterOf(count, 0.5);
const options = (workers: number) => ({ pool: new WorkerPool(workers) });
const single = await filled(options(1));
for (const n of [1, ...(threads > 1 ? [threads] : [])]) {
  const read = reader(n);
  const index = n === 1 ? single : await filled(options(n));
  kinds[`read ${n}`] = read;
  kinds[`flat ${n}`] = ask(index, {});
}
kinds['flat, half of the rows'] = ask(single, { filter: halves });
for (const algorithm of CODES) {
  await single.search({ vector: queries[0]!, metric, k: K, algorithm });
  await single.settled();
  kinds[algorithm] = ask(single, { algorithm });
}
for (const type of ['int8', 'int4'] as const) kinds[type] = ask(await filled(options(1), type), {});

kinds['usearch, exact'] = exactly();

const times = new Map(Object.keys(kinds).map((kind) => [kind, [] as number[]]));
for (let round = -2; round < rounds; round++) {
  for (const [kind, run] of Object.entries(kinds)) {
    const begun = performance.now();
    await run(round + 2);
    if (round >= 0) times.get(kind)!.push(performance.now() - begun);
  }
}
const repeated = new Map<string, number>();
for (const [kind, run] of Object.entries(kinds)) {
  const all: number[] = [];
  for (let round = -2; round < rounds; round++) {
    const begun = performance.now();
    await run(round + 2);
    if (round >= 0) all.push(performance.now() - begun);
  }
  repeated.set(kind, median(all));
}
const result: ScanResult = Object.fromEntries(
  [...times].map((
    [kind, all],
  ) => [kind, { median: median(all), best: Math.min(...all), repeated: repeated.get(kind)! }]),
);
process.stdout.write(JSON.stringify(result), () => process.exit(0));

async function filled(of: { pool: WorkerPool }, type: 'float32' | 'int8' | 'int4' = 'float32'): Promise<VectorIndex> {
  const index = new VectorIndex(of);
  const rows = new RowsFile(base, dims);
  for (let first = 0; first < count; first += BATCH) {
    for (const [i, vector] of rowsOf(rows.read(first, Math.min(BATCH, count - first)), dims).entries())
      index.put(first + i, [{ vector }], type);
  }
  rows.close();
  return index;
}

function ask(index: VectorIndex, query: Partial<VectorQuery>): (round: number) => Promise<void> {
  return async (round) => {
    const { hits } = await index.search({ vector: queries[round % queries.length]!, metric, k: K, ...query });
    if (hits.length !== K) throw new Error(`${K} rows should be found, got ${hits.length}`);
  };
}

/** The same with usearch, over its own rows. Its exact search reads from the beginning of a query's buffer. */
function exactly(): (round: number) => Promise<void> {
  const file = new RowsFile(base, dims);
  const rows = file.read(0, count);
  file.close();
  const copies = queries.map((query) => query.slice());
  return async (round) => {
    const { keys } = usearch.exactSearch(rows, copies[round % copies.length]!, dims, K,
      metric === 'cosine' ? 'cos' : 'l2sq', 1);
    if (keys.length !== K) throw new Error(`${K} rows should be found, got ${keys.length}`);
  };
}

/** Reads as many bytes as the rows have, in the given number of threads. */
function reader(workers: number): () => Promise<void> {
  const bytes = Math.floor((count * dims * 4) / TURN / workers) * TURN * workers;
  const pages = Math.ceil(bytes / PAGE);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  new Float32Array(memory.buffer).fill(0.5); // Unwritten pages would all be mapped to the same zero page.
  const module = compileReadLoop(pages);
  const share = bytes / workers;
  const all = Array.from({ length: workers }, (_, i) =>
    new Worker(new URL('read-worker.ts', import.meta.url), {
      workerData: { module, memory, from: i * share, to: (i + 1) * share },
    }));
  return async () => {
    await Promise.all(all.map((worker) => {
      worker.postMessage('read');
      return once(worker, 'message');
    }));
  };
}
