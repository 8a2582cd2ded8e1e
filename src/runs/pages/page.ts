import { encodeCursor, type Position } from './cursor.ts';

/** Entries of a page at most (contract, section 8). */
const MAX_LIMIT = 100;

/** Entries that a page holds; more than the most is taken as the most (decisions, section 2.1). */
export function pageSize(limit: number): number {
  return Math.min(limit, MAX_LIMIT);
}

/** One page of a list, made of its entries and, where there is another page, at least one more. */
export function toPage<T>(found: readonly T[], size: number, positionOf: (entry: T) => Position): { entries: readonly T[]; next_cursor: string | null } {
  const entries = found.slice(0, size);
  const last = entries.at(-1);
  return { entries, next_cursor: found.length > size && last !== undefined ? encodeCursor(positionOf(last)) : null };
}
