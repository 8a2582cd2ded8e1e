import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerOf } from '../in-child.ts';
import type { VectorAnswer, VectorJob } from './job.ts';

export type { MethodResult, Point, Truth, Updates, VectorAnswer, VectorJob } from './job.ts';

/** Time limit for a peer. */
const TIMEOUT_SECONDS = 3600;

export interface VectorPeer {
  readonly name: string;
  /** Notes for readers of its figures. */
  readonly note: string;
  /** Why it cannot run here, and what to do about it; undefined if it can. */
  missing(): string | undefined;
  /** Rejects if its process fails. */
  run(job: VectorJob): Promise<VectorAnswer>;
}

export const quire: VectorPeer = {
  name: 'Quire',
  note: 'in process, as the document service uses it, with one worker, which scans and builds; structures are ' +
    'searched on the main thread. Build time is of writing the rows and of the structure. hnsw takes min(3, ef / ' +
    '10) candidates for each result',
  missing: () => undefined,
  run: (job) => run('quire', job),
};
export const hnswlib = fromNpm('hnswlib-node', 'hnswlib', 'hnswlib-node',
  'compiled by npm without AVX, unless CXXFLAGS said otherwise; takes vectors as arrays of numbers, made before ' +
    'time runs; its filter is a JavaScript function');
export const usearch = fromNpm('usearch', 'usearch', 'usearch',
  'with float32, one thread; has no filter for JavaScript; ef is chosen when an index is loaded, which is not timed');
// Its runtimes and logger are configured by the environment, before they start.
export const lanceDb = fromNpm('LanceDB', 'lancedb', '@lancedb/lancedb',
  'a table on disk, in the page cache; one thread where its settings allow; refines 3 candidates for each result ' +
    'of IVF_HNSW_SQ (one partition), 10 of IVF_PQ, which is trained on 64 rows for each centroid in 20 rounds, ' +
    'about as ours is', ['LANCE_CPU_THREADS=1', 'RAYON_NUM_THREADS=1', 'TOKIO_WORKER_THREADS=1', 'LANCE_LOG=error',
  'RUST_LOG=error']);

function fromNpm(name: string, engine: string, folder: string, note: string,
  environment: readonly string[] = []): VectorPeer
{
  const installed = join(import.meta.dirname, '..', '..', 'node_modules', folder, 'package.json');
  return {
    name,
    note,
    missing: () => (existsSync(installed) ? undefined : 'is not installed: run `npm ci` in bench/'),
    run: (job) => run(engine, job, environment),
  };
}

function run(engine: string, job: VectorJob, environment: readonly string[] = []): Promise<VectorAnswer> {
  const file = join(job.folder, 'job.json');
  writeFileSync(file, JSON.stringify(job));
  return answerOf<VectorAnswer>('env', [...environment, process.execPath, '--expose-gc',
    join(import.meta.dirname, 'child.ts'), engine, file], TIMEOUT_SECONDS);
}
