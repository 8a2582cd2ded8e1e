import { close, fdatasync, open } from 'node:fs';
import type { Session } from 'node:sqlite';
import { promisify } from 'node:util';
import type { CommitRecorder, Row, SqlValue } from '../port.ts';
import { changesSchema } from '../sql-text.ts';
import type { Engine } from '../writer.ts';
import type { LogState } from './checkpoints.ts';
import type { Connection } from './connection.ts';
import { type Damage, translate } from './failures.ts';
import { openWriter, type WriterOptions } from './open.ts';

const sync = promisify(fdatasync);

/**
 * Syncs the write-ahead log to disk outside the event loop: a commit writes it without waiting (`synchronous =
 * NORMAL`), and the transactions are acknowledged after the sync. An fsync usually takes a fraction of a millisecond,
 * but tens of milliseconds now and then, and nothing else should wait for that. Any descriptor of a file can sync what
 * was written through another one.
 */
class LogSync {
  readonly #file: string;
  #descriptor: number | undefined;

  /** `file`: the log file, which exists after the first commit. */
  constructor(file: string) {
    this.#file = file;
  }

  /** Resolves when everything written before the call is on disk. */
  async sync(): Promise<void> {
    this.#descriptor ??= await promisify(open)(this.#file, 'r+');
    await sync(this.#descriptor);
  }

  /** The log may be a different file from here on. */
  close(): void {
    if (this.#descriptor !== undefined) close(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** For tests: each may throw, so that a commit or a statement fails as with a broken disk. */
export interface Faults {
  readonly onCommit?: () => void;
  readonly onSync?: () => void | Promise<void>;
  readonly onStatement?: (sql: string) => void;
}

export interface EngineOptions extends WriterOptions {
  /** False: commits are acknowledged before they are on disk. */
  readonly synced?: boolean | undefined;
}

/** The writing connection. It reopens itself after a failure that it cannot roll back. */
export class WriterEngine implements Engine {
  /** Called after each commit. */
  onCommitted: (state: LogState) => void = () => {};
  /** Called when prepared statements of other connections may be out of date. */
  onSchemaChange: () => void = () => {};
  /** Copies the whole log into the database, and syncs both; rejects when that fails. */
  copyLog: () => Promise<void> = () => Promise.resolve();
  /** Receives the rows that commits change. */
  recorder: CommitRecorder | undefined;
  #session: Session | undefined;
  readonly #file: string;
  readonly #faults: Faults;
  readonly #damage: Damage;
  readonly #options: EngineOptions;
  readonly #log: LogSync;
  /** A sync has failed; after that the system may regard pages that are not on disk as written. */
  #doubtful = false;
  #connection: Connection | undefined;
  #schemaChanged = false;

  constructor(file: string, damage: Damage, faults: Faults, options: EngineOptions = {}) {
    this.#file = file;
    this.#damage = damage;
    this.#faults = faults;
    this.#options = options;
    this.#log = new LogSync(`${file}-wal`);
    this.#connection = this.#open();
  }

  all(sql: string, params: readonly SqlValue[]): Row[] {
    return this.#attempt(sql, (connection) => connection.all(sql, params));
  }

  get(sql: string, params: readonly SqlValue[]): Row | undefined {
    return this.#attempt(sql, (connection) => connection.get(sql, params));
  }

  run(sql: string, params: readonly SqlValue[]): { changes: number } {
    if (changesSchema(sql)) this.#schemaChanged = true;
    return this.#attempt(sql, (connection) => connection.run(sql, params));
  }

  runMany(sql: string, rows: readonly (readonly SqlValue[])[]): { changes: number } {
    return this.#attempt(sql, (connection) => connection.runMany(sql, rows));
  }

  applyPatchset(patchset: Uint8Array, except: readonly string[]): boolean {
    return this.#attempt('a patchset', (connection) => connection.applyPatchset(patchset, except));
  }

  exec(sql: string): void {
    if (sql === 'ROLLBACK') this.#endSession();
    this.#attempt(sql, (connection) => connection.run(sql));
    if (this.recorder !== undefined && sql.startsWith('BEGIN'))
      this.#session = this.#attempt(sql, (connection) => connection.recordChanges());
  }

  commit(): void {
    this.#faults.onCommit?.();
    this.#recordCommit();
    this.exec('COMMIT');
    this.#forgetOldSchema();
    this.onCommitted(this.#logState());
  }

  /**
   * After a failed sync, syncing the log again proves nothing, because the lost pages count as clean. So the content of
   * the log is copied into the database, which writes it again elsewhere.
   */
  async durable(): Promise<void> {
    if (this.#options.synced === false) return this.recorder?.durable();
    const { onSync } = this.#faults;
    const doubtful = this.#doubtful;
    this.#doubtful = true;
    if (onSync !== undefined) await onSync();
    await Promise.all([this.#log.sync(), this.recorder?.sync()]);
    if (doubtful) await this.copyLog();
    this.#doubtful = false;
    this.recorder?.durable();
  }

  inTransaction(): boolean {
    return this.#connection?.inTransaction ?? false;
  }

  recover(): void {
    this.#endSession();
    this.recorder?.abandoned();
    try {
      if (this.inTransaction()) this.#connection?.run('ROLLBACK');
    } catch {
      this.close(); // the next statement opens a new connection; closing rolls back
    }
    this.#forgetOldSchema();
  }

  /** Statements that were prepared for the old content may not fit the new one. */
  contentReplaced(): void {
    this.#schemaChanged = true;
    this.#forgetOldSchema();
  }

  close(): void {
    this.#endSession();
    this.#log.close();
    this.#connection?.close();
    this.#connection = undefined;
  }

  /** The recorder's own writes are not passed to it. */
  #recordCommit(): void {
    if (this.#session === undefined) return;
    const patchset = this.#session.patchset();
    this.#endSession();
    if (patchset.length > 0) this.recorder?.prepare(this, patchset);
  }

  #endSession(): void {
    this.#session?.close();
    this.#session = undefined;
  }

  #open(): Connection {
    return openWriter(this.#file, this.#options);
  }

  /**
   * The query takes about a microsecond. The file's size would tell nothing, because the log is reused from its
   * beginning.
   */
  #logState(): LogState {
    return this.#connection!.get('PRAGMA wal_checkpoint = NOOP') as unknown as LogState;
  }

  #forgetOldSchema(): void {
    if (!this.#schemaChanged) return;
    this.#schemaChanged = false;
    this.#connection?.forgetStatements();
    this.onSchemaChange();
  }

  #attempt<T>(sql: string, step: (connection: Connection) => T): T {
    try {
      this.#faults.onStatement?.(sql);
      return step(this.#connection ??= this.#open());
    } catch (error) {
      throw this.#damage.note(translate(error));
    }
  }
}
