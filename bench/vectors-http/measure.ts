import { readFileSync } from 'node:fs';
import { type HttpPeer, type RunningPeer, type Share, SHARES } from '../peers/vectors-http/index.ts';
import type { Truth } from '../peers/vectors/index.ts';
import { K } from '../peers/vectors/job.ts';
import { readNumbers, RowsFile, rowsOf } from '../peers/vectors/rows-file.ts';
import { scaled } from '../support/scale.ts';
import { memoryOf } from '../support/server.ts';
import { sendsPerSecond, Wire } from '../support/wire.ts';

export const CLIENTS = [1, 8] as const;
const BATCH = 500;
/** Seconds for each figure. */
const SECONDS = scaled(4, 0.5);

/** Files of rows, queries and their true neighbours. */
export interface Rows {
  readonly base: string;
  readonly queries: string;
  readonly truth: string;
  readonly dims: number;
  readonly count: number;
}

export interface MethodMeasured {
  readonly recall: Readonly<Record<Share, number>>;
  /** Requests per second, by the number of clients. */
  readonly perSecond: Readonly<Record<Share, Readonly<Record<number, number>>>>;
}

export interface Measured {
  readonly importedPerSecond: number;
  /** Until the structure holds the rows, too. */
  readonly builtPerSecond: number;
  /** Bytes of the process in the end. */
  readonly resident: number;
  readonly methods: Readonly<Record<string, MethodMeasured>>;
}

/** Starts a peer, fills it and searches it. */
export async function measurePeer(peer: HttpPeer, folder: string, rows: Rows): Promise<Measured> {
  const running = await peer.start(folder, rows.dims);
  try {
    const begun = performance.now();
    await addRows(running, rows);
    const imported = performance.now();
    await running.build();
    const built = performance.now();
    const truth = JSON.parse(readFileSync(rows.truth, 'utf8')) as Truth;
    const queries = rowsOf(readNumbers(rows.queries), rows.dims);
    const methods: Record<string, MethodMeasured> = {};
    for (const method of peer.methods) methods[method] = await measureMethod(running, method, queries, truth);
    return {
      importedPerSecond: rows.count / (imported - begun) * 1000,
      builtPerSecond: rows.count / (built - begun) * 1000,
      resident: memoryOf(running.pid).now,
      methods,
    };
  } finally {
    await running.stop();
  }
}

async function addRows(running: RunningPeer, { base, dims, count }: Rows): Promise<void> {
  const file = new RowsFile(base, dims);
  for (let first = 0; first < count; first += BATCH)
    await running.add(file.read(first, Math.min(BATCH, count - first)), first);
  file.close();
}

async function measureMethod(running: RunningPeer, method: string, queries: readonly Float32Array[],
  truth: Truth): Promise<MethodMeasured>
{
  const recall = {} as Record<Share, number>;
  const perSecond = {} as Record<Share, Record<number, number>>;
  for (const share of SHARES) {
    const requests = queries.map((query) => running.request(method, query, share));
    recall[share] = await recallOf(running, requests, truth[share]!);
    perSecond[share] = {};
    for (const clients of CLIENTS)
      perSecond[share][clients] = await sendsPerSecond(running.url, requests, clients, SECONDS);
  }
  return { recall, perSecond };
}

async function recallOf(running: RunningPeer, requests: readonly Buffer[],
  nearest: readonly (readonly number[])[]): Promise<number>
{
  const wire = await Wire.open(running.url);
  let [found, wanted] = [0, 0];
  for (const [i, request] of requests.entries()) {
    const status = await wire.ask(request);
    if (status !== 200) throw new Error(`a search answered ${status}: ${wire.body.slice(0, 500)}`);
    wanted += Math.min(K, nearest[i]!.length);
    found += running.rowsOf(wire.body).slice(0, K).filter((row) => nearest[i]!.includes(row)).length;
  }
  wire.close();
  return found / wanted;
}
