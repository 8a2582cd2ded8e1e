import type { Cursor, Sql, Transaction } from '../../../storage/index.ts';

const SUBSCRIBER = 'embeddings';
const HANDLED_AT = 'embedding_handled_at';

/**
 * Changes that do not concern the queue are not worth a commit each; at most this many are read again after a crash.
 */
const LAG = 1000;

const UPSERT_CURSOR =
  'INSERT INTO cursors(subscriber, lsn) VALUES (?, ?) ON CONFLICT(subscriber) DO UPDATE SET lsn = excluded.lsn';
const UPSERT_SETTING =
  'INSERT INTO settings(name, value) VALUES (?, ?) ON CONFLICT(name) DO UPDATE SET value = excluded.value';

/** The queue's position in the change feed, stored in the transaction that puts documents into the queue. */
export class FollowerCursor implements Cursor {
  readonly #sql: Sql;
  #position = 0;
  /** The position in the database; undefined while none is stored. */
  #stored: number | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Whether the database has no position. */
  get isNew(): boolean {
    return this.#stored === undefined;
  }

  async load(): Promise<number | undefined> {
    const row = await this.#sql.get<{ lsn: number }>('SELECT lsn FROM cursors WHERE subscriber = ?', [SUBSCRIBER]);
    this.#stored = row?.lsn;
    this.#position = row?.lsn ?? 0;
    return row?.lsn;
  }

  async save(lsn: number): Promise<void> {
    this.#position = lsn;
    if (this.#stored === undefined || lsn - this.#stored >= LAG || lsn < this.#stored) await this.flush();
  }

  /**
   * Stores the position together with the effects of the changes up to it. `at`: time of the last of these changes, in
   * milliseconds since 1970.
   */
  async saveWithin(tx: Transaction, lsn: number, at: number): Promise<void> {
    await tx.run(UPSERT_CURSOR, [SUBSCRIBER, lsn]);
    await tx.run(UPSERT_SETTING, [HANDLED_AT, String(at)]);
    tx.onCommit(() => {
      this.#stored = lsn;
      this.#position = lsn;
    });
  }

  /** Stores the position if it is not there yet. */
  async flush(): Promise<void> {
    const position = this.#position;
    if (position === this.#stored) return;
    await this.#sql.transaction((tx) => tx.run(UPSERT_CURSOR, [SUBSCRIBER, position]));
    this.#stored = position;
  }

  /** Everything written up to this time is certainly in the queue; undefined when nothing ever was. */
  async handledAt(): Promise<number | undefined> {
    const row = await this.#sql.get<{ value: string }>('SELECT value FROM settings WHERE name = ?', [HANDLED_AT]);
    return row && Number(row.value);
  }

  /** Removes the position in the feed, which would hold back its pruning. Costs nothing when there is none. */
  async forget(): Promise<void> {
    if ((await this.load()) === undefined) return;
    await this.#sql.transaction((tx) => tx.run('DELETE FROM cursors WHERE subscriber = ?', [SUBSCRIBER]));
    this.#stored = undefined;
  }
}
