import type { KernelBuild } from '../../kernels/load.ts';
import type { VectorsExports } from '../../kernels/vectors.ts';
import type { WorkerPool } from './workers/worker-pool.ts';

/** Bytes that are read on the calling thread, in one to two milliseconds. More are read in workers. */
export const INLINE_BYTES = 16 * 1024 * 1024;
/** Minimum share of these bytes per worker, so that the overhead of a call pays. */
const PART_SHARE = 0.25;

/** The properties of a segment that are needed to run a kernel over its rows. */
export interface RowSource {
  readonly memory: WebAssembly.Memory;
  readonly build: KernelBuild;
  readonly pool: WorkerPool;
  readonly call: VectorsExports;
  readonly rowCount: number;
  /** Below this number of rows, work is never divided. */
  readonly parallelMinRows: number;
  /** Bytes of rows that are read on the calling thread. */
  readonly inlineBytes: number;
}

/**
 * What a segment has of all rows that a search reads. Limits of what this thread reads hold for the whole search, so
 * that many small segments do not occupy it longer than a large one.
 */
export interface Portion {
  /** Share of the bytes of all rows, above 0 to 1. */
  readonly share: number;
  /** The same of all smaller segments together. */
  readonly smaller: number;
  /** Share of the results that structures look for here: that of the bytes, or 1 if that turned out to be too few. */
  readonly expected: number;
}

/** The only segment of a search. */
export const WHOLE: Portion = { share: 1, smaller: 0, expected: 1 };

/** Standard deviations by which more results are looked for than are expected. */
const DEVIATIONS = 3;

/**
 * How many of `count` results, or candidates, a structure looks for in a segment: as many as it has almost certainly if
 * the best are spread evenly.
 */
export function expectedOf(count: number, { expected }: Portion): number {
  return Math.min(count, Math.ceil(count * expected + DEVIATIONS * Math.sqrt(count * expected)));
}

/** Segments with their portions, the greatest first. */
export function portionsOf<Source extends { readonly rowCount: number; readonly stride: number }>(
  segments: readonly Source[],
): { readonly segment: Source; readonly portion: Portion }[] {
  if (segments.length === 1) return [{ segment: segments[0]!, portion: WHOLE }];
  const sized = segments.map((segment) => ({ segment, bytes: Math.max(1, segment.rowCount) * segment.stride }));
  const all = sized.reduce((sum, { bytes }) => sum + bytes, 0);
  let smaller = 0;
  return sized.toSorted((a, b) => a.bytes - b.bytes).map(({ segment, bytes }) => {
    const portion = { share: bytes / all, smaller: smaller / all, expected: bytes / all };
    smaller += bytes;
    return { segment, portion };
  }).reverse();
}

/** Rows from `from` to `to`. */
interface Part {
  readonly from: number;
  readonly to: number;
}

/** A range of rows, and the cost of reading them. */
export interface Work extends Part {
  readonly bytesPerRow: number;
  /** Share of the rows that are read, 0 to 1. */
  readonly share?: number;
  readonly portion: Portion;
}

/** Divides a range into parts, one per worker; a single part runs on this thread if `isQuick` says so. */
export function divide(source: RowSource, work: Work): Part[] {
  const rows = work.to - work.from;
  if (rows <= 0) return [];
  const parts = Math.max(1,
    Math.min(Math.ceil(source.pool.size * work.portion.share),
      Math.floor(costOf(work) / Math.max(1, source.inlineBytes * PART_SHARE))));
  if (parts === 1 || isQuick(source, work)) return [work];
  const cuts = Array.from({ length: parts + 1 },
    (_, i) => (i === parts ? work.to : work.from + Math.floor((rows * i) / parts)));
  // The rows of a document stay in one part, so that the document is found once.
  const starts = cuts.map((row,
    i) => (i === 0 || i === parts ? row : Math.max(work.from, source.call.documentStart(row, source.rowCount) >>> 0))
  );
  return starts.slice(1).map((to, i) => ({ from: starts[i]!, to })).filter(({ from, to }) => from < to);
}

/**
 * Whether the work runs on the event loop: because that of the whole search is short enough, or that of this segment
 * and of all smaller ones is shorter than a worker's.
 */
export function isQuick(source: RowSource, work: Work): boolean {
  const { share, smaller } = work.portion;
  return work.to - work.from < source.parallelMinRows * share || costOf(work) <= source.inlineBytes * share ||
    costOf(work) * (share + smaller) <= source.inlineBytes * PART_SHARE * share;
}

/** Whether the work pays for a worker that shares it with this thread. */
export function isShared(source: RowSource, work: Work): boolean {
  return source.pool.size > 1 && isQuick(source, work) && costOf(work) >= 2 * PART_SHARE * source.inlineBytes &&
    work.to - work.from >= source.parallelMinRows;
}

/** Calls a function of the module `vectors`: on this thread if `quick`, otherwise in a worker. */
export async function callKernel(source: RowSource, quick: boolean, name: keyof VectorsExports & string,
  args: readonly number[]): Promise<number>
{
  if (quick) return (source.call[name] as (...numbers: readonly number[]) => number | undefined)(...args) ?? 0;
  return source.pool.run({ memory: source.memory, module: 'vectors', build: source.build, call: name, args });
}

/** Waits until all have settled before it fails, so that the memory of a failed operation is no longer in use. */
export async function settleAll<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(promises);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return results.map((result) => (result as PromiseFulfilledResult<T>).value);
}

function costOf({ from, to, bytesPerRow, share = 1 }: Work): number {
  return (to - from) * bytesPerRow * share;
}
