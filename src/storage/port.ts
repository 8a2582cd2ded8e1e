/** What a column or a parameter can hold. Booleans and dates have no form of their own: use 0/1 and numbers. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/**
 * One row: a plain object of column name to value. An integer is a `number` while that is exact and
 * a `bigint` beyond ±(2^53 - 1); a BLOB is a `Uint8Array` of its own.
 */
export type Row = Record<string, SqlValue>;

/** Reading. Placeholders are `?`, in order. */
export interface Queries {
  /** Every row of the answer. */
  all<R extends Row = Row>(sql: string, params?: readonly SqlValue[]): Promise<R[]>;
  /** The first row, or undefined when there is none. */
  get<R extends Row = Row>(sql: string, params?: readonly SqlValue[]): Promise<R | undefined>;
}

/**
 * Reading and writing inside one transaction; sees its own writes. Statements run in the order of the calls, and need not
 * be waited for in between, which saves the ways to a server. It ends with the `work` it was handed to, and every later
 * call rejects.
 */
export interface Transaction extends Queries {
  /** `changes`: rows inserted, updated or deleted; 0 for any other statement. */
  run(sql: string, params?: readonly SqlValue[]): Promise<{ changes: number }>;
  /** One prepared statement for many rows; `changes` is their sum. */
  runMany(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<{ changes: number }>;
  /**
   * Applies rows that a `CommitRecorder` of another database was told of, except those of some tables; false, with nothing
   * changed, where one of them does not fit. Absent where the driver cannot.
   */
  applyPatchset?(patchset: Uint8Array, except: readonly string[]): boolean;
  /**
   * Calls the listener once the transaction is committed, just before `transaction()` resolves; never
   * when it is undone. The listener must not throw; use it to wake those who wait for new rows.
   */
  onCommit(listener: () => void): void;
  /**
   * Waits until no other transaction holds this name, and holds it until the end of this one. In a transaction with
   * the isolation `read committed`, what its later statements read is then settled. A writer that is alone has all
   * names at any time.
   */
  lock(name: string): Promise<void>;
}

export interface TransactionOptions {
  /**
   * What a transaction sees of those that run beside it, where there can be any (driver `postgres`). `snapshot`, the
   * default: nothing; one that changes a row which another has changed since is undone, and its work done again.
   * `read committed`: each statement sees what was committed before it; for work that locks what it relies on.
   */
  readonly isolation?: 'snapshot' | 'read committed';
}

/** Reading and writing from within a commit, before it is made. */
export interface CommitQueries {
  get(sql: string, params: readonly SqlValue[]): Row | undefined;
  run(sql: string, params: readonly SqlValue[]): { changes: number };
}

/**
 * Is told of the rows that each commit changes, in order: `prepare`, and then `durable` or `abandoned`. A commit is made by
 * several transactions that arrived together.
 */
export interface CommitRecorder {
  /**
   * Called within the commit with its changed rows, as a patchset of SQLite's session extension. What it writes itself is not
   * recorded. A commit for which it throws is not made.
   */
  prepare(queries: CommitQueries, patchset: Uint8Array): void;
  /** What was prepared last was not committed. */
  abandoned(): void;
  /** Puts what was prepared on disk, at the same time as the database does. */
  sync(): Promise<void>;
  /** All that was prepared is on disk, here and in the database. */
  durable(): void;
}

/**
 * How the processes that share a database wake each other. A message says where to look, never what is there: it may
 * be lost, come late or twice, and is not part of any transaction.
 */
export interface Peers {
  /** True when no other process had the database open as this one opened it. */
  readonly first: boolean;
  /** Takes a name among the processes, for as long as this one has the database open; false when another has it. */
  claim(name: string): Promise<boolean>;
  /** Whether any process, this one included, has a name at present. */
  isClaimed(name: string): Promise<boolean>;
  /** Tells all other processes soon, together with what else is to be told; at most 7,500 bytes. Must not be relied on. */
  tell(message: string): void;
  /** Calls the listener with each message of the others; with undefined when some may have been missed. Returns how to stop that. */
  hear(listener: (message: string | undefined) => void): () => void;
}

/**
 * The one way to a database.
 *
 * The drivers `node:sqlite` and `sql.js` are alone with their database, and run one transaction at a time. With
 * `postgres` several processes share it and transactions run side by side, so that above the port
 * - the `work` of a transaction may be run more than once: it has no effects but through the transaction, and those that
 *   its `onCommit` listeners have;
 * - a statement that fails ends the transaction, even when the work catches the error: use `ON CONFLICT`;
 * - a SELECT may end in `FOR UPDATE`, `FOR UPDATE SKIP LOCKED` or `FOR KEY SHARE`, which a writer that is alone ignores;
 * - what two transactions must not both do, though they change different rows, is guarded by a unique index, by a locked
 *   row, or by `Transaction.lock`;
 * - columns hold values of their own type, and a parameter that nothing else gives a type is written as CAST(? AS ...).
 *
 * Opened with `turns`, `postgres` has one writer at a time among all processes, and a work runs once, as with the other
 * drivers: the document service relies on that. A failing statement still ends its transaction.
 *
 * Everything above speaks this and the common subset of SQL, so that a
 * driver can be exchanged; `testkit/storage-suite.ts` says what each of them must hold.
 *
 * Failures of the medium (disk full, I/O error, a file that became read-only or corrupt, a closed
 * database) reject with `ServiceError('unavailable')`; mistakes in SQL reject with a plain `Error`.
 */
export interface Sql extends Queries {
  /** `durable`: what a resolved transaction wrote survives a power cut. `readOnly`: another process writes, and transactions here are snapshots. */
  readonly info: { driver: 'node:sqlite' | 'sql.js' | 'postgres'; path: string; durable: boolean; readOnly?: true };
  /**
   * One `work` at a time, in the order of the calls, unless the driver is `postgres`. Resolves when the work is
   * committed (and on disk, if durable); rejects, with nothing written, when `work` rejects or the
   * commit fails. Inside `work` only the transaction may be used: waiting there for the database
   * itself would wait for ever, and is refused with an error.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Absent where a database has one process. */
  readonly peers?: Peers;
  /**
   * Where the writers of several processes take turns: calls the listener at the beginning of each turn of this process, when
   * nobody else writes and none of its transactions has begun, to take over what others have written. It reads by `all` and
   * `get`. When it rejects, so do the transactions that wait. Absent or without effect elsewhere.
   */
  onTurn?(listener: () => Promise<void>): void;
  /** Where there are turns: transactions that `work` asks for are snapshots that wait for no turn and cannot write. */
  asReader?<T>(work: () => Promise<T>): Promise<T>;
  /** Heavy reads: same answers as all/get, run away from the event loop where the driver can. */
  readonly background: Queries;
  /**
   * Rows of one consistent snapshot, in batches of at most `batch` (default 500); off the event
   * loop where the driver can; closes its snapshot when the consumer stops early.
   */
  stream<R extends Row = Row>(sql: string, params?: readonly SqlValue[], options?: { batch?: number }): AsyncIterable<R[]>;
  /** Writes a consistent, verified copy of the database to a new file (temporary name, fsync, rename). Refused with `not_implemented` by `postgres`, as are the next two. */
  snapshotTo(file: string): Promise<{ sizeBytes: number }>;
  /**
   * Replaces the whole content by that of a verified file: waits for the transactions before it,
   * swaps, goes on. On any failure the previous content is served again.
   */
  replaceFrom(file: string): Promise<void>;
  /**
   * Leaves nothing of deleted or replaced content in the file, its log included: what was overwritten before
   * the database had keys is still there otherwise. Writes the whole database anew, and writers wait for it.
   * Does nothing in memory.
   */
  scrub(): Promise<void>;
  /** Tells a recorder of every commit from now on; absent where the driver cannot. At most once. */
  record?(recorder: CommitRecorder): void;
  /** True when a trivial read succeeds and the writer is not broken: the last write went through, or one would now. */
  healthy(): Promise<boolean>;
  /** Size of the database, its write-ahead log included. */
  sizeBytes(): Promise<number>;
  /** Lets the transactions already asked for finish, then closes. Again is harmless; any other call afterwards rejects. */
  close(): Promise<void>;
}
