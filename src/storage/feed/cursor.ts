import type { Sql, Transaction } from '../port.ts';

/** Where a subscriber keeps the number of the last change it has handled. */
export interface Cursor {
  /** Undefined before the first `save`. */
  load(): Promise<number | undefined>;
  save(lsn: number): Promise<void>;
}

/** Kept in the database: survives a restart, and keeps `prune` from deleting what is yet to be read. */
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

/** Stores a cursor together with what a subscriber made of the changes, so that a crash repeats neither. */
export async function saveCursor(tx: Transaction, subscriber: string, lsn: number): Promise<void> {
  await tx.run('INSERT INTO cursors(subscriber, lsn) VALUES (?, ?) ON CONFLICT(subscriber) DO UPDATE SET lsn = excluded.lsn', [subscriber, lsn]);
}

/** The same for a subscriber that begins here, unless it has a cursor. */
export async function beginCursor(tx: Transaction, subscriber: string, lsn: number): Promise<void> {
  await tx.run('INSERT INTO cursors(subscriber, lsn) VALUES (?, ?) ON CONFLICT(subscriber) DO NOTHING', [subscriber, lsn]);
}

/**
 * Kept in memory, for a view that has a checkpoint of its own and starts after its number. Saves the
 * commit that a stored cursor costs for every batch.
 */
export function memoryCursor(lsn: number): Cursor {
  let current = lsn;
  return {
    load: async () => current,
    async save(next) {
      current = next;
    },
  };
}

/** Removes the cursor of a subscriber that will not come back, which would hold `prune` back for ever. */
export async function forgetCursor(sql: Sql, subscriber: string): Promise<void> {
  await sql.transaction((tx) => tx.run('DELETE FROM cursors WHERE subscriber = ?', [subscriber]));
}
