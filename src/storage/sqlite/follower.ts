import { existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ServiceError } from '../../errors/index.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import { closedError } from '../failures.ts';
import { batchSize, type Queries, type Row, type Sql, type SqlValue, type Transaction } from '../port.ts';
import type { Connection } from './connection.ts';
import { VOLATILE } from './driver.ts';
import { openReader, sizeOfFiles } from './open.ts';
import { ReaderClient } from './reader-client.ts';

/**
 * A database file that another process of this machine writes (`NodeSqlite`). Reads see what is committed when they
 * begin. A transaction is a snapshot for reading several tables; every write rejects with `unavailable`.
 */
export class SqliteFollower implements Sql {
  readonly info: Sql['info'];
  readonly background: Queries;
  readonly #file: string;
  readonly #keys: KeyRing | undefined;
  readonly #reader: Connection;
  readonly #thread: ReaderClient;
  /** For transactions, one at a time, because reads outside them must see the latest state. */
  #snapshots: Connection | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  /** Throws `unavailable` when the file does not exist or is not a database. */
  constructor(path: string, keys?: KeyRing) {
    this.#file = resolve(path);
    if (!existsSync(this.#file)) throw new ServiceError('unavailable', `database ${this.#file} does not exist`);
    this.#keys = keys;
    this.#reader = openReader(this.#file, keys);
    this.#thread = new ReaderClient(this.#file, keys);
    this.info = {
      driver: 'node:sqlite',
      path: this.#file,
      durable: !VOLATILE.has(statfsSync(dirname(this.#file)).type),
      readOnly: true,
    };
    this.background = {
      all: (sql, params = []) => this.#thread.all(sql, params) as Promise<never[]>,
      get: (sql, params = []) => this.#thread.get(sql, params) as Promise<never>,
    };
  }

  async all<R extends Row>(sql: string, params: readonly SqlValue[] = []): Promise<R[]> {
    return this.#reader.all(sql, params) as R[];
  }

  async get<R extends Row>(sql: string, params: readonly SqlValue[] = []): Promise<R | undefined> {
    return this.#reader.get(sql, params) as R | undefined;
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) return Promise.reject(closedError());
    const next = this.#last.then(() => this.#read(work));
    this.#last = next.catch(() => undefined); // reported to its own caller
    return next;
  }

  stream<R extends Row>(sql: string, params: readonly SqlValue[] = [],
    options: { batch?: number } = {}): AsyncIterable<R[]>
  {
    return this.#thread.stream(sql, params, batchSize(options)) as AsyncIterable<R[]>;
  }

  snapshotTo(): Promise<never> {
    return Promise.reject(onlyReads());
  }

  replaceFrom(): Promise<never> {
    return Promise.reject(onlyReads());
  }

  scrub(): Promise<never> {
    return Promise.reject(onlyReads());
  }

  healthy(): Promise<boolean> {
    return this.get('SELECT 1').then(() => true, () => false);
  }

  sizeBytes(): Promise<number> {
    return sizeOfFiles(this.#file);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#last;
    await this.#thread.close();
    this.#snapshots?.close();
    this.#reader.close();
  }

  async #read<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const connection = (this.#snapshots ??= openReader(this.#file, this.#keys));
    const listeners: (() => void)[] = [];
    connection.run('BEGIN');
    let value: T;
    try {
      value = await work({
        all: async (sql, params) => connection.all(sql, params) as never[],
        get: async (sql, params) => connection.get(sql, params) as never,
        run: () => Promise.reject(onlyReads()),
        runMany: () => Promise.reject(onlyReads()),
        onCommit: (listener) => void listeners.push(listener),
        lock: () => Promise.resolve(),
      });
    } finally {
      connection.run('ROLLBACK');
    }
    for (const listener of listeners) listener();
    return value;
  }
}

function onlyReads(): ServiceError {
  return new ServiceError('unavailable', 'this process only reads the database');
}
