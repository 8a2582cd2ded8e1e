import type { KernelBuild } from '../../kernels/load.ts';
import type { VectorsExports } from '../../kernels/vectors.ts';
import type { WorkerPool } from './workers/worker-pool.ts';

/** Bytes that are read on the calling thread: one to two milliseconds' worth. More is read in workers. */
export const INLINE_BYTES = 16 * 1024 * 1024;
/** Share of that that a worker gets at least, so that asking it is worth the while. */
const PART_SHARE = 0.25;

/** What running a kernel over rows needs to know of their segment. */
export interface RowSource {
  readonly memory: WebAssembly.Memory;
  readonly build: KernelBuild;
  readonly pool: WorkerPool;
  readonly call: VectorsExports;
  readonly rowCount: number;
  /** Rows below which work is never divided. */
  readonly parallelMinRows: number;
  /** Bytes of rows that the calling thread reads itself. */
  readonly inlineBytes: number;
}

/** Rows from `from` to `to`. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

/** A range of rows, and what it costs to look at them. */
export interface Work extends Part {
  readonly bytesPerRow: number;
  /** Share of the rows that are looked at, 0 to 1. */
  readonly share?: number;
}

/** Ranges that together are the given one, each for a worker; a single one is done here when `isQuick` says so. */
export function divide(source: RowSource, work: Work): Part[] {
  const rows = work.to - work.from;
  if (rows <= 0) return [];
  const parts = Math.max(1, Math.min(source.pool.size, Math.floor(costOf(work) / Math.max(1, source.inlineBytes * PART_SHARE))));
  if (parts === 1 || isQuick(source, work)) return [work];
  const cuts = Array.from({ length: parts + 1 }, (_, i) => (i === parts ? work.to : work.from + Math.floor((rows * i) / parts)));
  // The rows of a document stay together, so that it is found once.
  const starts = cuts.map((row, i) => (i === 0 || i === parts ? row : Math.max(work.from, source.call.documentStart(row, source.rowCount) >>> 0)));
  return starts.slice(1).map((to, i) => ({ from: starts[i]!, to })).filter(({ from, to }) => from < to);
}

/** Whether the event loop can wait for it. */
export function isQuick(source: RowSource, work: Work): boolean {
  return work.to - work.from < source.parallelMinRows || costOf(work) <= source.inlineBytes;
}

/** Calls a function of the module `vectors`: here when it's quick, else in a worker. */
export async function callKernel(source: RowSource, quick: boolean, name: keyof VectorsExports & string, args: readonly number[]): Promise<number> {
  if (quick) return (source.call[name] as (...numbers: readonly number[]) => number | undefined)(...args) ?? 0;
  return source.pool.run({ memory: source.memory, module: 'vectors', build: source.build, call: name, args });
}

/** Waits for all, and only then fails, so that nobody uses the memory of an operation that has failed. */
export async function settleAll<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(promises);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return results.map((result) => (result as PromiseFulfilledResult<T>).value);
}

function costOf({ from, to, bytesPerRow, share = 1 }: Work): number {
  return (to - from) * bytesPerRow * share;
}
