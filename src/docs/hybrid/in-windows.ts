import { Pace } from '../../lib/pace.ts';
import type { FusedHit, MeaningHit } from '../../search/fusion/index.ts';
import type { Queries } from '../../storage/index.ts';
import { inList } from '../documents/index.ts';
import { toWindows } from '../vectors/index.ts';

/** A hit with the run of chunks that is shown for it; without one for a document that only the lexical side found. */
export interface Placed {
  readonly hit: FusedHit;
  readonly first: number | undefined;
  readonly last: number | undefined;
}

/** Maximum number of documents whose numbers of chunks one statement reads. */
const STEP = 256;

/**
 * Passages with `size` neighbours on each side; those of a document that share a chunk are merged, at the position of
 * the best.
 */
export async function inWindows(queries: Queries, hits: readonly FusedHit[], size: number): Promise<Placed[]> {
  const passages = Map.groupBy(hits.filter(({ chunk }) => chunk !== undefined), ({ ord }) => ord);
  const counts = await chunkCounts(queries, [...passages.keys()]);
  const windows = new Map<FusedHit, Placed>();
  const pace = new Pace();
  for (const [ord, own] of passages) {
    const byChunk = new Map(own.map((hit) => [hit.chunk!, hit]));
    // If a document was deleted or changed meanwhile, which is read again, at least the chunks that were found are
    // known.
    const chunks = Math.max(counts.get(ord) ?? 0, ...[...byChunk.keys()].map((chunk) => chunk + 1));
    for (const window of toWindows(own as (FusedHit & MeaningHit)[], size, Infinity, () => chunks)) {
      const hit = byChunk.get(window.chunk)!;
      windows.set(hit, { hit, first: window.first, last: window.last });
    }
    await pace.rest();
  }
  return hits.flatMap((
    hit,
  ) => (hit.chunk === undefined ? { hit, first: undefined, last: undefined } : windows.get(hit) ?? []));
}

async function chunkCounts(queries: Queries, ords: readonly number[]): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (let i = 0; i < ords.length; i += STEP) {
    const { marks, params } = inList(ords.slice(i, i + STEP));
    const rows = await queries.all<{ ord: number; chunks: number }>(
      `SELECT ord, chunks FROM embeddings WHERE ord IN (${marks})`,
      params,
    );
    for (const { ord, chunks } of rows) counts.set(ord, chunks);
  }
  return counts;
}
