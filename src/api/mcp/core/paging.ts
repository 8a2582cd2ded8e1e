import { INVALID_PARAMS, McpFault } from './fault.ts';

/** Entries in one response to a list request (decisions, section 4.14). */
export const PAGE_SIZE = 100;

/** One page of a list; the cursor is opaque to clients and identifies the start of the next page. */
export function pageOf<T>(all: readonly T[], cursor: string | undefined): { items: T[]; nextCursor?: string } {
  const start = cursor === undefined ? 0 : positionOf(cursor, all.length);
  const end = start + PAGE_SIZE;
  return {
    items: all.slice(start, end),
    ...(end < all.length ? { nextCursor: Buffer.from(`at:${end}`).toString('base64url') } : {}),
  };
}

function positionOf(cursor: string, length: number): number {
  const match = /^at:(\d{1,9})$/.exec(cursor.length > 64 ? '' : Buffer.from(cursor, 'base64url').toString());
  const position = match === null ? -1 : Number(match[1]);
  if (position <= 0 || position >= length || position % PAGE_SIZE !== 0)
    throw new McpFault(INVALID_PARAMS, 'cursor is not one of this server');
  return position;
}
