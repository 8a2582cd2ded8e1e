import type { Sql, Transaction } from '../port.ts';

/** Where a subscriber stores the number of the last change that it has handled. */
export interface Cursor {
  /** Undefined before the first `save`. */
  load(): Promise<number | undefined>;
  /** Undefined when there is nothing to wait for. */
  save(lsn: number): Promise<void> | undefined;
}

/** Stored in the database: survives a restart, and prevents `prune` from deleting unread changes. */
export function storedCursor(sql: Sql, subscriber: string): Cursor {
  return {
    async load() {
      const row = await sql.get<{ lsn: number }>('SELECT lsn FROM cursors WHERE subscriber = ?', [subscriber]);
      return row?.lsn;
    },
    async save(lsn) {
      await sql.transaction((tx) => saveCursor(tx, subscriber, lsn));
    },
  };
}

/**
 * Stores a cursor in the same transaction as the results of a subscriber, so that no change is handled twice after a
 * crash.
 */
export async function saveCursor(tx: Transaction, subscriber: string, lsn: number): Promise<void> {
  await tx.run(
    'INSERT INTO cursors(subscriber, lsn) VALUES (?, ?) ON CONFLICT(subscriber) DO UPDATE SET lsn = excluded.lsn',
    [subscriber, lsn],
  );
}

/** As above, for a subscriber that starts here, unless it already has a cursor. */
export async function beginCursor(tx: Transaction, subscriber: string, lsn: number): Promise<void> {
  await tx.run('INSERT INTO cursors(subscriber, lsn) VALUES (?, ?) ON CONFLICT(subscriber) DO NOTHING', [subscriber,
    lsn]);
}

/**
 * Kept in memory, for a view that has its own checkpoint and starts after the number of that. Saves the commit for each
 * batch that a stored cursor needs.
 */
export function memoryCursor(lsn: number): Cursor {
  let current = lsn;
  return {
    load: async () => current,
    save(next) {
      current = next;
      return undefined;
    },
  };
}

/** Removes the cursor of a subscriber that will not return, because the cursor would prevent pruning indefinitely. */
export async function forgetCursor(sql: Sql, subscriber: string): Promise<void> {
  await sql.transaction((tx) => tx.run('DELETE FROM cursors WHERE subscriber = ?', [subscriber]));
}
