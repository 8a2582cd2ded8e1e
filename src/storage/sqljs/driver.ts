import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import initSqlJs, { type Database, type SqlJsStatic } from 'sql.js';
import { ServiceError } from '../../errors/index.ts';
import { durableRename } from '../../lib/files.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import { closedError } from '../failures.ts';
import { batchSize, type Queries, type Row, type Sql, type SqlValue, type Transaction } from '../port.ts';
import { verifyDatabaseFile } from '../verify/verify.ts';
import { probe, Writer } from '../writer.ts';
import { MemoryConnection, translate } from './connection.ts';

/**
 * The driver for a database that lives in memory and ends with the process. There is one connection only, so a read
 * waits for the open group of transactions: otherwise it would see writes that may still be rolled back. All such
 * databases of a process share the 2 GiB of one WebAssembly memory.
 */
export class SqlJs implements Sql {
  readonly info: Sql['info'] = { driver: 'sql.js', path: ':memory:', durable: false };
  readonly background: Queries = this;
  readonly #library: SqlJsStatic;
  readonly #keys: KeyRing | undefined;
  readonly #connection: MemoryConnection;
  readonly #writer: Writer;
  #closed = false;

  private constructor(library: SqlJsStatic, keys: KeyRing | undefined) {
    this.#library = library;
    this.#keys = keys;
    this.#connection = new MemoryConnection(new library.Database(), keys);
    this.#writer = new Writer(this.#connection.forWriting(), keys);
  }

  static async open(keys?: KeyRing): Promise<SqlJs> {
    return new SqlJs(await initSqlJs(), keys);
  }

  async all<R extends Row>(sql: string, params: readonly SqlValue[] = []): Promise<R[]> {
    await this.#readable();
    this.#connection.layViews();
    return this.#connection.all(sql, params) as R[];
  }

  async get<R extends Row>(sql: string, params: readonly SqlValue[] = []): Promise<R | undefined> {
    await this.#readable();
    this.#connection.layViews();
    return this.#connection.get(sql, params) as R | undefined;
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#writer.transaction(work);
  }

  /** Steps through a copy of the whole database, because a write would disturb an unfinished statement. */
  async *stream<R extends Row>(sql: string, params: readonly SqlValue[] = [],
    options: { batch?: number } = {}): AsyncGenerator<R[]>
  {
    const snapshot = new MemoryConnection(new this.#library.Database(await this.#export()), this.#keys);
    try {
      snapshot.layViews();
      yield* batches(snapshot.cursor(sql, params) as Iterable<R>, batchSize(options));
    } finally {
      snapshot.close();
    }
  }

  async snapshotTo(file: string): Promise<{ sizeBytes: number }> {
    const image = await this.#export();
    const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      await writeFile(temporary, image, { mode: 0o600 });
      const { ok, problems } = await verifyDatabaseFile(temporary);
      if (!ok) throw new ServiceError('internal', `the copy of the database is damaged: ${problems.join('; ')}`);
      await durableRename(temporary, file);
      return { sizeBytes: image.length };
    } finally {
      await rm(temporary, { force: true });
    }
  }

  replaceFrom(file: string): Promise<void> {
    return this.#writer.exclusive(async () => this.#connection.replaceWith(await this.#load(file)));
  }

  async scrub(): Promise<void> {}

  async healthy(): Promise<boolean> {
    try {
      await this.get('SELECT 1');
      if (this.#writer.failed) await this.transaction(probe);
      return true;
    } catch {
      return false; // the failure itself was already reported to its caller
    }
  }

  async sizeBytes(): Promise<number> {
    const pages = await this.get<{ page_count: number }>('PRAGMA page_count');
    const size = await this.get<{ page_size: number }>('PRAGMA page_size');
    return pages!.page_count * size!.page_size;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#writer.close();
    this.#connection.close();
  }

  async #readable(): Promise<void> {
    this.#writer.refuseInside();
    if (this.#closed) throw closedError();
    await this.#writer.idle();
  }

  async #export(): Promise<Uint8Array> {
    await this.#readable();
    return this.#connection.export();
  }

  /** Throws, with the file's content closed again, when it is not a database. */
  async #load(file: string): Promise<Database> {
    const image = await readFile(file);
    const database = new this.#library.Database(image);
    try {
      database.exec('SELECT count(*) FROM sqlite_master');
      return database;
    } catch (error) {
      database.close();
      throw translate(error);
    }
  }
}

/** Yields to the event loop after each batch. */
async function* batches<T>(rows: Iterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
    await setImmediate();
  }
  if (batch.length > 0) yield batch;
}
