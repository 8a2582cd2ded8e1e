import type { SqlValue } from '../port.ts';

/** Requests of the main thread. `next` and `stop` refer to the stream that `open` started under the same id. */
export type ThreadRequest =
  | { op: 'all' | 'get'; sql: string; params: readonly SqlValue[] }
  | { id: number; op: 'open'; sql: string; params: readonly SqlValue[]; batch: number }
  | { id: number; op: 'next' | 'stop' }
  /**
   * Copies the log into the database as far as no reader needs it. A checkpoint returns the number of pages that are
   * copied.
   */
  | { op: 'checkpoint' | 'copy-log' }
  /** Rewrites the database without what was deleted; has no rows. */
  | { op: 'scrub' };

/** Rows are sent as arrays, the names of the columns once per message. */
export interface ThreadRows {
  readonly columns: readonly string[];
  readonly rows: readonly SqlValue[][];
  /** True with the last batch of a stream; always true for `all` and `get`. */
  readonly done: boolean;
}

/**
 * Every request but `stop` has exactly one reply. `code` is SQLite's result code, if it has one; `unreadable` says that
 * an encrypted value could not be decrypted.
 */
export type ThreadReply = ThreadRows | { error: string; code: number | undefined; unreadable?: boolean };
