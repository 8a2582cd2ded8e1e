import type { Queries } from '../port.ts';
import { oldestChange } from './change.ts';

/** A reader of the feed in this process. */
export interface FeedReader {
  /** Called after each commit that appended, once it is on disk. */
  readonly wake: () => void;
  /** Called as soon as readers see the commit, instead. For state in memory that a restart rebuilds. */
  readonly isEarly?: boolean;
  /** Number of the last change handled; `prune` keeps everything after it. Undefined while it is not known. */
  readonly position: () => number | undefined;
  /**
   * Called before `prune` deletes the changes up to this number, which the reader has handled. Once it has resolved,
   * the reader needs none of them, not even to continue after a restart. It may keep a reference to the change after
   * this number, but to none before.
   */
  readonly release?: (lsn: number) => Promise<void>;
}

/** What `prune` keeps: a change is deleted only when every given limit allows it. */
export interface Keep {
  /** At least this many of the newest changes. */
  readonly entries?: number;
  /** All changes since this time, in milliseconds since 1970. */
  readonly since?: number;
}

/**
 * Number of the last change that may be deleted: the newest one, from which numbering continues, stays, and so does
 * every change that a stored cursor or one of the readers has not read.
 */
export async function lastToRemove(sql: Pick<Queries, 'get'>, head: number, readers: Iterable<FeedReader>,
  { entries, since }: Keep): Promise<number>
{
  const cursors = await sql.get<{ lsn: number | null }>('SELECT min(lsn) AS lsn FROM cursors');
  // A reader that releases changes may refer to the last one that it handled, so that change stays.
  const positions = [...readers].map(({ position, release }) => (position() ?? head) - (release === undefined ? 0 : 1));
  const limits = [head - 1, cursors!.lsn ?? head, ...positions];
  if (entries !== undefined) limits.push(head - entries);
  if (since !== undefined) limits.push(await lastBefore(sql, since, head));
  return Math.min(...limits);
}

/** Finds a change by binary search over numbers, because times rise with them; there is no index over times. */
async function lastBefore(sql: Pick<Queries, 'get'>, since: number, head: number): Promise<number> {
  let low = (await oldestChange(sql)) - 1;
  let high = head;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const row = await sql.get<{ at: number }>('SELECT at FROM changes WHERE lsn = ?', [middle]);
    if (row !== undefined && row.at >= since) high = middle - 1;
    else low = middle;
  }
  return low;
}
