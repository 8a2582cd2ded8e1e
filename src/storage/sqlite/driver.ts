import { statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ServiceError } from '../../errors/index.ts';
import { currentTracing, type Tracing } from '../../lib/tracing.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import { batchSize, type CommitRecorder, type Queries, type Row, type Sql, type SqlValue,
  type Transaction } from '../port.ts';
import { probe, Writer, type WriterOptions } from '../writer.ts';
import { Checkpoints } from './checkpoints.ts';
import type { Connection } from './connection.ts';
import { Damage } from './failures.ts';
import { FileLock, openReader, prepareFile, sizeOfFiles } from './open.ts';
import { ReaderClient } from './reader-client.ts';
import { overwriteWith, snapshotTo } from './snapshot.ts';
import { type EngineOptions, type Faults, WriterEngine } from './writer-engine.ts';

/** File systems in memory (tmpfs, ramfs): an fsync guarantees nothing there. */
export const VOLATILE = new Set([0x01021994, 0x858458f6]);

const TRANSACTION = { name: 'transaction', attributes: { 'db.system.name': 'sqlite' } } as const;

type Tuning = Pick<EngineOptions, 'synced' | 'busyTimeoutMs'> & WriterOptions;

/**
 * The durable driver over a file: one writing connection and one reading connection on the main thread, heavy reads in
 * a worker thread, group commit in `Writer`. The parts are described in their own files; this class only combines them.
 */
export class NodeSqlite implements Sql {
  readonly info: Sql['info'];
  readonly background: Queries;
  readonly #damage = new Damage();
  readonly #lock: FileLock;
  readonly #engine: WriterEngine;
  readonly #writer: Writer;
  readonly #keys: KeyRing | undefined;
  #reader: Connection;
  readonly #thread: ReaderClient;
  #closing: Promise<void> | undefined;

  /**
   * Creates the file and its folder when they are absent. Throws `unavailable` when that fails, when the file is not a
   * database, or when another process has it open.
   */
  constructor(path: string, faults: Faults = {}, keys?: KeyRing, tuning: Tuning = {}) {
    const file = resolve(path);
    prepareFile(file);
    this.#keys = keys;
    this.#lock = FileLock.take(file);
    let engine: WriterEngine | undefined;
    try {
      this.#engine = engine = new WriterEngine(file, this.#damage, faults, {
        ...tuning,
        overwriteDeleted: keys !== undefined,
      });
      this.#reader = openReader(file, keys);
    } catch (error) {
      engine?.close();
      this.#lock.release();
      throw error;
    }
    this.#writer = new Writer(this.#engine, keys, tuning);
    this.#engine.onSchemaChange = () => this.#renewReader();
    this.#thread = new ReaderClient(file, keys);
    const checkpoints = new Checkpoints({
      copy: () => this.#thread.checkpoint(),
      // No write waits behind a heavy read.
      withoutWrites: (task) => this.#writer.exclusive(async () => void (this.#thread.isIdle && (await task()))),
    });
    this.#engine.copyLog = () => this.#thread.copyLog();
    this.#engine.onCommitted = (state) => checkpoints.afterCommit(state);
    this.info = {
      driver: 'node:sqlite',
      path: file,
      durable: tuning.synced !== false && !VOLATILE.has(statfsSync(dirname(file)).type),
    };
    this.background = this.#background();
  }

  all<R extends Row>(sql: string, params: readonly SqlValue[] = []): Promise<R[]> {
    return this.#read(() => this.#reader.all(sql, params) as R[]);
  }

  get<R extends Row>(sql: string, params: readonly SqlValue[] = []): Promise<R | undefined> {
    return this.#read(() => this.#reader.get(sql, params) as R | undefined);
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const tracing = currentTracing();
    return tracing === undefined ? this.#writer.transaction(work) : this.#traced(tracing, work);
  }

  /** Separate from the path without traces, which therefore allocates no closure. */
  #traced<T>(tracing: Tracing, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return tracing.within(TRANSACTION, () => this.#writer.transaction(work));
  }

  async *stream<R extends Row>(sql: string, params: readonly SqlValue[] = [],
    options: { batch?: number } = {}): AsyncGenerator<R[]>
  {
    this.#writer.refuseInside();
    try {
      yield* this.#thread.stream(sql, params, batchSize(options)) as AsyncIterable<R[]>;
    } catch (error) {
      throw this.#damage.note(error);
    }
  }

  async snapshotTo(file: string): Promise<{ sizeBytes: number }> {
    this.#writer.refuseInside();
    if (resolve(file) === this.info.path)
      throw new ServiceError('invalid_argument', 'a database cannot be copied onto itself');
    return snapshotTo(this.info.path, resolve(file));
  }

  replaceFrom(file: string): Promise<void> {
    return this.#writer.exclusive(async () => {
      await overwriteWith(resolve(file), this.info.path);
      this.#engine.contentReplaced();
      this.#damage.repaired();
    });
  }

  scrub(): Promise<void> {
    return this.#writer.exclusive(() => this.#thread.scrub());
  }

  record(recorder: CommitRecorder): void {
    this.#engine.recorder = recorder;
  }

  async healthy(): Promise<boolean> {
    try {
      await this.get('SELECT 1');
      if (this.#damage.seen) return false;
      if (this.#writer.failed) await this.transaction(probe);
      return true;
    } catch {
      return false; // the failure itself was already reported to its caller
    }
  }

  sizeBytes(): Promise<number> {
    return sizeOfFiles(this.info.path);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /** Ends the reading thread as a crash would, for tests. */
  crashReader(): Promise<void> {
    return this.#thread.crash();
  }

  async #close(): Promise<void> {
    await this.#writer.close();
    await this.#thread.close();
    this.#reader.close();
    this.#engine.close();
    this.#lock.release();
  }

  /** Views have the columns that the tables had when the views were created. */
  #renewReader(): void {
    this.#reader.forgetStatements();
    if (this.#keys === undefined) return;
    const next = openReader(this.info.path, this.#keys);
    this.#reader.close();
    this.#reader = next;
  }

  #background(): Queries {
    return {
      all: <R extends Row>(sql: string, params: readonly SqlValue[] = []) =>
        this.#read(() => this.#thread.all(sql, params) as Promise<R[]>),
      get: <R extends Row>(sql: string, params: readonly SqlValue[] = []) =>
        this.#read(() => this.#thread.get(sql, params) as Promise<R | undefined>),
    };
  }

  /** Not an async function: each read would pay for its promises. */
  #read<T>(read: () => T | Promise<T>): Promise<T> {
    try {
      this.#writer.refuseInside();
      const found = read();
      return found instanceof Promise
        ? found.catch((error: unknown) => Promise.reject(this.#damage.note(error)))
        : Promise.resolve(found);
    } catch (error) {
      return Promise.reject(this.#damage.note(error));
    }
  }
}
