import { encodeCursor, type Position } from './cursor.ts';

/** Most entries of a page (contract, section 8). */
const MAX_LIMIT = 100;

/** Number of entries of a page; a larger number than the maximum counts as the maximum (decisions, section 2.1). */
export function pageSize(limit: number): number {
  return Math.min(limit, MAX_LIMIT);
}

/** One page of a list; `found` must have more entries than the page if there is another page. */
export function toPage<T>(found: readonly T[], size: number,
  positionOf: (entry: T) => Position): { entries: readonly T[]; next_cursor: string | null }
{
  const entries = found.slice(0, size);
  const last = entries.at(-1);
  return { entries, next_cursor: found.length > size && last !== undefined ? encodeCursor(positionOf(last)) : null };
}
