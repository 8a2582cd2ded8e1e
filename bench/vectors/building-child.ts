// `node building-child.ts FOLDER/building-job.json` prints a `BuildingResult`: searches before, while and after a graph
// is built in the background, one at a time, in a service with the default number of workers.
import { readFileSync } from 'node:fs';
import { VectorIndex, WorkerPool } from '../../src/search/vector/index.ts';
import { K } from '../peers/vectors/job.ts';
import { readNumbers, RowsFile, rowsOf } from '../peers/vectors/rows-file.ts';
import type { BuildingJob, BuildingResult, Phase } from './building.ts';

const BATCH = 1000;

const { base, queries: queriesFile, count, dims, metric, seconds } = JSON.parse(
  readFileSync(process.argv[2]!, 'utf8'),
) as BuildingJob;
const queries = rowsOf(readNumbers(queriesFile), dims);
const pool = new WorkerPool();
const index = new VectorIndex({ pool });
const rows = new RowsFile(base, dims);
for (let first = 0; first < count; first += BATCH) {
  for (const [i, vector] of rowsOf(rows.read(first, Math.min(BATCH, count - first)), dims).entries())
    index.put(first + i, [{ vector }]);
}

const begun = performance.now();
let built: number | undefined;
const phases: Phase[] = [];
phases.push(await measure('flat, before', 'flat', () => performance.now() - begun > seconds * 1000));
await index.search({ vector: queries[0]!, metric, k: K, algorithm: 'hnsw' });
const building = performance.now();
void index.settled().then(() => (built = performance.now() - building));
phases.push(
  await measure('hnsw, until half of the rows are in the graph: answered by scans', 'hnsw', (used) => used === 'hnsw'),
);
phases.push(await measure('hnsw, until all are', 'hnsw', () => built !== undefined));
const end = performance.now() + seconds * 1000;
phases.push(await measure('hnsw, afterwards', 'hnsw', () => performance.now() > end));
process.stdout.write(
  JSON.stringify({ phases, buildSeconds: built! / 1000, workers: pool.size } satisfies BuildingResult),
  () => process.exit(0),
);

async function measure(what: string, algorithm: 'flat' | 'hnsw', isOver: (used: string) => boolean): Promise<Phase> {
  const times: number[] = [];
  for (let i = 0;; i++) {
    const before = performance.now();
    const { algorithm: used } = await index.search({ vector: queries[i % queries.length]!, metric, k: K, algorithm });
    times.push(performance.now() - before);
    if (isOver(used)) break;
    // Lets timers and messages of workers run, as between requests.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const sorted = Float64Array.from(times).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  return {
    what,
    searches: times.length,
    perSecond: (times.length * 1000) / times.reduce((sum, time) => sum + time, 0),
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    worst: at(1),
  };
}
