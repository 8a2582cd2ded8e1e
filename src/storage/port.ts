/** What a column or a parameter can hold. Booleans and dates have no type of their own: use 0/1 and numbers. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/**
 * One row: a plain object of column name to value. An integer is a `number` while that is exact and a `bigint` beyond
 * ±(2^53 - 1); a BLOB is a `Uint8Array` that shares no memory.
 */
export type Row = Record<string, SqlValue>;

/** Reading. Placeholders are `?`, in order. */
export interface Queries {
  /** Returns all rows. */
  all<R extends Row = Row>(sql: string, params?: readonly SqlValue[]): Promise<R[]>;
  /** Returns the first row, or undefined when there is none. */
  get<R extends Row = Row>(sql: string, params?: readonly SqlValue[]): Promise<R | undefined>;
}

/**
 * Reading and writing inside one transaction; sees its own writes. Statements run in the order of the calls, and the
 * caller need not await each one, which saves round trips to a server. It ends with the `work` that it was passed to;
 * every later call rejects.
 */
export interface Transaction extends Queries {
  /** `changes`: rows inserted, updated or deleted; 0 for any other statement. */
  run(sql: string, params?: readonly SqlValue[]): Promise<{ changes: number }>;
  /** Runs one prepared statement for many rows; `changes` is their sum. */
  runMany(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<{ changes: number }>;
  /**
   * Applies rows that a `CommitRecorder` of another database received, except those of some tables; false, with nothing
   * changed, if one of them does not fit. Absent if the driver cannot do this.
   */
  applyPatchset?(patchset: Uint8Array, except: readonly string[]): boolean;
  /**
   * Calls the listener once the transaction is committed, just before `transaction()` resolves; never when it is rolled
   * back. The listener must not throw; use it to wake callers that wait for new rows.
   */
  onCommit(listener: () => void): void;
  /**
   * Calls the listener once the transaction is committed, so that readers see it, but before it is on disk; never when
   * it is rolled back. For state in memory that a restart rebuilds: it is then ready by the time the disk confirms. The
   * listener must not throw. Absent if a commit of the driver is on disk when it ends.
   */
  onWritten?(listener: () => void): void;
  /**
   * Says that every statement has been sent, so that the commit can follow them without waiting for their results. If
   * one of them fails, nothing is written. `work` sends no statement afterwards, and rejects only if one has failed.
   * Absent if that saves nothing.
   */
  readonly complete?: (() => void) | undefined;
  /**
   * Waits until no other transaction holds one of these names, and holds them until the end of this one. In a
   * transaction with the isolation `read committed`, later statements then read settled data. Names are locked in the
   * order of the list, so that transactions which sort them do not wait for each other in a circle. A single writer
   * always has all names.
   */
  lock(...names: string[]): Promise<void>;
  /**
   * Present if transactions of other processes may write beside this one, each the documents of collections of its own
   * (`TransactionOptions.collections`). Ordinals that it gets then have gaps, and it reads the head of the change feed
   * only after `lock(FEED_LOCK)`.
   */
  readonly isShared?: true | undefined;
}

/** The name in `Transaction.lock` of whoever appends to the change feed; held until the commit. */
export const FEED_LOCK = 'feed';

export interface TransactionOptions {
  /**
   * What a transaction sees of concurrent ones, if there can be any (driver `postgres`). `snapshot`, the default:
   * nothing; if it changes a row which another has changed since, it is rolled back and its work repeated. `read
   * committed`: each statement sees what was committed before it; for work that locks the rows it relies on.
   */
  readonly isolation?: 'snapshot' | 'read committed';
  /**
   * Says that the work writes only documents of these collections with what belongs to them, the change feed, and rows
   * that no other such transaction writes. If writers take turns, it runs beside such transactions of other processes
   * for other collections, and alone in its own process. Called once at most, when the transaction is about to begin.
   */
  readonly collections?: (() => readonly string[]) | undefined;
}

/** Reads and writes within a commit, before it completes. */
export interface CommitQueries {
  get(sql: string, params: readonly SqlValue[]): Row | undefined;
  run(sql: string, params: readonly SqlValue[]): { changes: number };
}

/**
 * Receives the rows that each commit changes, in order: `prepare` is called, and then `durable` or `abandoned`. A
 * commit contains several transactions that arrived together.
 */
export interface CommitRecorder {
  /**
   * Called within the commit with its changed rows, as a patchset of SQLite's session extension. The recorder's own
   * writes are not recorded. If it throws, the commit is not made.
   */
  prepare(queries: CommitQueries, patchset: Uint8Array): void;
  /** The last prepared commit was not made. */
  abandoned(): void;
  /** Writes what was prepared to disk, at the same time as the database does. */
  sync(): Promise<void>;
  /** Everything that was prepared is on disk, here and in the database. */
  durable(): void;
}

/**
 * How the processes that share a database wake each other. A message says where to look, never what is there: it may be
 * lost, late or repeated, and is not part of any transaction.
 */
export interface Peers {
  /** True if no other process had the database open when this one opened it. */
  readonly first: boolean;
  /**
   * Takes a name among the processes, for as long as this one has the database open; false if another process has it.
   */
  claim(name: string): Promise<boolean>;
  /** Whether any process, including this one, holds a name at present. */
  isClaimed(name: string): Promise<boolean>;
  /**
   * Sends a message to all other processes soon, together with other messages; at most 7,500 bytes. Delivery is not
   * guaranteed.
   */
  notify(message: string): void;
  /**
   * Calls the listener with each message of the other processes, and with undefined when messages may have been missed.
   * Returns a function that stops this.
   */
  listen(listener: (message: string | undefined) => void): () => void;
}

/**
 * The only access to a database.
 *
 * The drivers `node:sqlite` and `sql.js` have the database to themselves, and run one transaction at a time. With
 * `postgres` several processes share it and transactions run side by side, so callers of the port must know:
 * - the `work` of a transaction may run more than once: it must have effects only through the transaction and its
 *   `onCommit` listeners;
 * - a statement that fails ends the transaction, even when the work catches the error: use `ON CONFLICT`;
 * - a SELECT may end in `FOR UPDATE`, `FOR UPDATE SKIP LOCKED` or `FOR KEY SHARE`, which a single writer ignores;
 * - if two transactions must not both do something, although they change different rows, a unique index, a locked row
 *   or
 *   `Transaction.lock` must prevent it;
 * - columns hold only values of their own type, and a parameter without a type from its context is written as CAST(? AS
 *   ...).
 *
 * Opened with `turns`, `postgres` has one writer at a time among all processes, and `work` runs once, as with the other
 * drivers: the document service relies on that. Only transactions that name their collections run side by side
 * (`TransactionOptions.collections`). A failing statement still ends its transaction.
 *
 * All other code uses this interface and the common subset of SQL, so that a driver can be exchanged;
 * `testkit/storage-suite.ts` tests the requirements of each driver.
 *
 * Failures of the medium (disk full, I/O error, a file that became read-only or corrupt, a closed database) reject with
 * `ServiceError('unavailable')`; mistakes in SQL reject with a plain `Error`.
 */
export interface Sql extends Queries {
  /**
   * `durable`: what a resolved transaction wrote survives a power failure. `readOnly`: another process writes, and
   * transactions here are snapshots. `ownFiles`: start of the paths of files that this process keeps of a database
   * elsewhere, which `identity` distinguishes from others.
   */
  readonly info: { driver: 'node:sqlite' | 'sql.js' | 'postgres'; path: string; durable: boolean; readOnly?: true;
    ownFiles?: string; identity?: string };
  /**
   * Runs one `work` at a time, in the order of the calls, except with the driver `postgres`. Resolves when the work is
   * committed (and on disk, if durable); rejects, with nothing written, when `work` rejects or the commit fails. Inside
   * `work` only the transaction may be used: a call to the database itself would wait forever, and is refused with an
   * error.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Absent if the database has only one process. */
  readonly peers?: Peers;
  /**
   * If the writers of several processes take turns: calls the listener at the beginning of each turn of this process,
   * so that it can read what others have written, before any transaction of the turn begins. It first reads by
   * `queries`, without awaiting anything before: that statement is sent together with the request for the turn, and
   * runs when the turn has come and no other process writes. Afterwards it may also read by `all` and `get`. When it
   * rejects, so do the waiting transactions. Absent or without effect elsewhere.
   */
  onTurn?(listener: (queries: Queries) => Promise<void>): void;
  /** If writers take turns: transactions that `work` requests are snapshots that wait for no turn and cannot write. */
  asReader?<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Runs one statement that changes rows, without a turn if writers take turns, and returns the rows of its RETURNING.
   * It is for rows of which the change feed tells nothing, such as leases, which must be renewed while others write. It
   * may run twice if a connection is lost. Absent if the database has only one process.
   */
  withoutTurn?<R extends Row = Row>(sql: string, params?: readonly SqlValue[]): Promise<R[]>;
  /** Heavy reads: same results as `all` and `get`, but run outside the event loop if the driver can do that. */
  readonly background: Queries;
  /**
   * Rows of one consistent snapshot, in batches of at most `batch` (default 500), read outside the event loop if the
   * driver can do that. Closes its snapshot when the consumer stops early.
   */
  stream<R extends Row = Row>(sql: string, params?: readonly SqlValue[],
    options?: { batch?: number }): AsyncIterable<R[]>;
  /**
   * Writes a consistent, verified copy of the database to a new file (temporary name, fsync, rename). `postgres`
   * refuses this and the next method with `not_implemented`.
   */
  snapshotTo(file: string): Promise<{ sizeBytes: number }>;
  /**
   * Replaces the whole content by that of a verified file: waits for earlier transactions, swaps the content, and
   * continues. On any failure the previous content is served again.
   */
  replaceFrom(file: string): Promise<void>;
  /**
   * Removes all traces of deleted or replaced content from the file and its log: content that was overwritten before
   * the database had keys is still there otherwise. Rewrites the whole database while writers wait. Does nothing in
   * memory. `postgres` rewrites the tables of documents, and refuses that without keys.
   */
  scrub(): Promise<void>;
  /** Passes every commit from now on to a recorder; absent if the driver cannot do this. Call it at most once. */
  record?(recorder: CommitRecorder): void;
  /** True when a trivial read succeeds and the writer works: the last write succeeded, or a test write succeeds now. */
  healthy(): Promise<boolean>;
  /** Size of the database, its write-ahead log included. */
  sizeBytes(): Promise<number>;
  /**
   * Waits for the transactions that were already requested, then closes. A repeated call is harmless; any other call
   * afterwards rejects.
   */
  close(): Promise<void>;
}

const DEFAULT = 500;

/** Number of rows in one batch of a stream: the requested number, or 500 by default. */
export function batchSize({ batch = DEFAULT }: { batch?: number } = {}): number {
  if (!Number.isSafeInteger(batch) || batch < 1) throw new RangeError(`a batch has at least 1 row, got ${batch}`);
  return batch;
}
