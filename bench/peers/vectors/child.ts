// The process of a peer of the vector part: `node --expose-gc child.ts NAME FOLDER/job.json` prints a `VectorAnswer`.
import { readFileSync } from 'node:fs';
import { latencyOf } from '../latencies.ts';
import type { MakeVectorEngine, VectorEngine, VectorMethod } from './engine.ts';
import { ALL, K, type MethodResult, type Point, type Truth, type VectorAnswer, type VectorJob } from './job.ts';
import { readNumbers, RowsFile, rowsOf } from './rows-file.ts';
import { cpuSince, Stopwatch } from './stopwatch.ts';
import { measureUpdates } from './updates.ts';

const ENGINES: Readonly<Record<string, () => Promise<MakeVectorEngine>>> = {
  quire: async () => (await import('./quire.ts')).makeQuire,
  hnswlib: async () => (await import('./hnswlib.ts')).makeHnswlib,
  usearch: async () => (await import('./usearch.ts')).makeUsearch,
  lancedb: async () => (await import('./lancedb.ts')).makeLanceDb,
};

const BATCH_BYTES = 4 * 1024 * 1024;
/** A sweep ends when this recall is reached and the usual effort has been measured. */
const ENOUGH = 0.995;
/** Minimum number of queries for each point, however long they take. */
const LEAST_QUERIES = 20;

const [name, file] = process.argv.slice(2) as [string, string];
const job = JSON.parse(readFileSync(file, 'utf8')) as VectorJob;
const queries = rowsOf(readNumbers(job.queries), job.dims);
const truth = JSON.parse(readFileSync(job.truth, 'utf8')) as Truth;
const answer = await measureAll(await (await ENGINES[name]!())(job, queries));
process.stdout.write(JSON.stringify(answer), () => process.exit(0));

async function measureAll(engine: VectorEngine): Promise<VectorAnswer> {
  const added = await addRows(engine);
  const { complete, seconds, rows } = added;
  if (!complete) return { complete, seconds, rows, methods: {} };
  const methods: Record<string, MethodResult> = {};
  let reopened: VectorAnswer['reopened'];
  for (const [i, method] of job.methods.entries()) {
    methods[method] = await measureMethod(engine.methods[method]!, added, i === 0);
    if (i === 0 && job.reopen) reopened = await engine.reopen?.(method);
  }
  const rowBytes = engine.rowBytes?.(); // before updates, which leave deleted rows
  const updates = job.updateSeconds > 0 && engine.replace !== undefined
    ? await measureUpdates(engine, engine.methods[job.methods[0]!]!, job, queries)
    : undefined;
  await engine.close?.();
  return {
    complete,
    seconds,
    rows,
    methods,
    ...(rowBytes !== undefined && { rowBytes }),
    ...(updates && { updates }),
    ...(reopened && { reopened }),
  };
}

interface Added {
  readonly complete: boolean;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly rows: number;
  /** Bytes of the process before rows are added. */
  readonly residentBefore: number;
}

async function addRows(engine: VectorEngine): Promise<Added> {
  const rows = new RowsFile(job.base, job.dims);
  const batch = Math.max(1, Math.floor(BATCH_BYTES / 4 / job.dims));
  const buffer = new Float32Array(batch * job.dims).fill(1);
  const residentBefore = nativeBytes();
  const watch = new Stopwatch();
  let first = 0;
  while (first < job.count && watch.seconds <= job.buildSeconds) {
    const count = Math.min(batch, job.count - first);
    const add = engine.stage(rows.read(first, count, buffer).subarray(0, count * job.dims), first);
    await watch.time(add);
    first += count;
  }
  rows.close();
  if (first === job.count && engine.commit !== undefined) await watch.time(() => engine.commit!());
  return {
    complete: first === job.count,
    seconds: watch.seconds,
    cpuSeconds: watch.cpuSeconds,
    rows: first,
    residentBefore,
  };
}

async function measureMethod(method: VectorMethod, added: Added, isFirst: boolean): Promise<MethodResult> {
  const watch = new Stopwatch();
  if (method.build !== undefined) await watch.time(() => method.build!());
  const resident = isFirst ? (nativeBytes() - added.residentBefore) / job.count : undefined;
  await warm(method, isFirst);
  const points: Point[] = [];
  for (const effort of method.efforts) {
    points.push(await measurePoint(method, effort, ALL));
    if (effort >= method.usual && points.at(-1)!.recall >= ENOUGH) break;
  }
  const usual = points.find(({ effort }) => effort === method.usual)!;
  method.use?.(method.usual);
  const filtered: Record<string, Point> = {};
  for (const share of method.filters ? job.shares : [])
    filtered[share] = await measurePoint(method, method.usual, share);
  const bytes = method.bytes?.();
  await method.close?.();
  const seconds = added.seconds + watch.seconds;
  return {
    buildSeconds: seconds,
    buildCores: (added.cpuSeconds + watch.cpuSeconds) / seconds,
    points,
    usual,
    filtered,
    ...(bytes !== undefined && { bytes: bytes / job.count }),
    ...(resident !== undefined && { resident }),
  };
}

/** Warm-up, so that the code is compiled before anything is measured. */
async function warm(method: VectorMethod, isFirst: boolean): Promise<void> {
  method.use?.(method.usual);
  await ask(method, method.usual, ALL, job.seconds * (isFirst ? 4 : 1), 0);
}

async function measurePoint(method: VectorMethod, effort: number, share: number): Promise<Point> {
  method.use?.(effort);
  await ask(method, effort, share, job.seconds / 4, 0);
  return ask(method, effort, share, job.seconds, LEAST_QUERIES);
}

/** Runs the queries one at a time, repeatedly until the time is over; recall is measured in the first round. */
async function ask(method: VectorMethod, effort: number, share: number, seconds: number,
  least: number): Promise<Point>
{
  const times: number[] = [];
  let [found, wanted] = [0, 0];
  const cpu = process.cpuUsage();
  const begun = performance.now();
  for (let i = 0;; i++) {
    const before = performance.now();
    const elapsed = before - begun;
    if (i >= least && (elapsed > seconds * 3000 || (elapsed > seconds * 1000 && i >= queries.length))) break;
    const rows = await method.search(i % queries.length, effort, share);
    times.push(performance.now() - before);
    if (i >= queries.length) continue;
    const nearest = truth[share]![i]!;
    wanted += Math.min(K, nearest.length);
    found += rows.filter((row) => nearest.includes(row)).length;
  }
  const { perSecond, p50, p99 } = latencyOf(times);
  return {
    effort,
    recall: found / wanted,
    perSecond,
    p50,
    p99,
    cores: cpuSince(cpu) / ((performance.now() - begun) / 1000),
  };
}

/** Memory of the process outside JavaScript's heap; vectors are in that heap only while they are transferred. */
function nativeBytes(): number {
  globalThis.gc!();
  return process.memoryUsage.rss() - process.memoryUsage().heapTotal;
}
