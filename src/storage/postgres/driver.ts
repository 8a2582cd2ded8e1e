import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import Cursor from 'pg-cursor';
import { ServiceError } from '../../errors/index.ts';
import { currentTracing } from '../../lib/tracing.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import { NAMES_TO_BE_SEALED } from '../encryption/required.ts';
import { closedError } from '../failures.ts';
import { checkParameters } from '../parameters.ts';
import { batchSize, type Queries, type Row, type Sql, type SqlValue, type Transaction,
  type TransactionOptions } from '../port.ts';
import { leave, openHeavyPool, openPool, type PoolOptions } from './connections.ts';
import { EncryptedReads, openWritersRows } from './encrypted-rows.ts';
import { commitDoubt, isConflict, isLost, isStale, reasonOf, translate } from './failures.ts';
import { PostgresPeers } from './peers.ts';
import { type OpenRows, PostgresTransaction } from './postgres-transaction.ts';
import { Statements } from './statements.ts';
import { ReconnectBudget, TurnWriter } from './turn-writer.ts';
import { toParameter, types } from './values.ts';

/** Maximum number of tries of a transaction that conflicts with others; by then it has tried for some seconds. */
const CONFLICTS = 100;
const LONGEST_PAUSE_MS = 100;

const TRANSACTION = { name: 'transaction', kind: 'client', attributes: { 'db.system.name': 'postgresql' } } as const;

const BEGIN = {
  snapshot: 'BEGIN ISOLATION LEVEL REPEATABLE READ',
  'read committed': 'BEGIN ISOLATION LEVEL READ COMMITTED',
} as const;

export interface PostgresOptions extends PoolOptions {
  /**
   * The writers of all processes take turns, so that the database has one writer at a time. Every process must open the
   * schema with the same value.
   */
  readonly turns?: boolean;
  /** See `Sql.info`. */
  readonly ownFiles?: string;
  /** Keys of encryption at rest; only with `turns`. */
  readonly keys?: KeyRing | undefined;
}

/**
 * Settings that decide about durability, and what distinguishes the schema from those of other databases and servers.
 */
const DESCRIBE = `
  SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit,
    (SELECT system_identifier::text FROM pg_control_system()) || '/' || (SELECT oid FROM pg_database WHERE datname = current_database()) || '/' || current_schema() AS identity,
    quote_ident(current_schema()) AS schema`;

const BEGIN_READER = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/**
 * The driver for a PostgreSQL server, which several processes may share. Transactions run side by side, each on a
 * connection of the pool; one that conflicts with another is rolled back and its work repeated. With `turns` they run
 * one after the other, in all processes, and each work runs once (`TurnWriter`).
 */
export class PostgresSql implements Sql {
  readonly info: Sql['info'];
  readonly background: Queries;
  readonly peers: PostgresPeers;
  readonly #pool: Pool;
  readonly #heavy: Pool;
  readonly #statements: Statements;
  /** With keys: reads over connections with views, which writers do not have. */
  readonly #sealed: EncryptedReads | undefined;
  readonly #writers: Pool | undefined;
  readonly #turns: TurnWriter | undefined;
  readonly #inside = new AsyncLocalStorage<{ open: boolean }>();
  readonly #readers = new AsyncLocalStorage<boolean>();
  readonly #pending = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  private constructor(pool: Pool, peers: PostgresPeers, info: Sql['info'], schema: string, options: PostgresOptions) {
    const { keys } = options;
    this.#pool = pool;
    this.#heavy = openHeavyPool(options);
    this.#statements = new Statements(keys && schema);
    this.#sealed = keys && new EncryptedReads(keys, schema);
    this.#writers = keys && openPool({ ...options, size: 1 });
    this.peers = peers;
    this.info = info;
    this.#turns = options.turns === true
      ? new TurnWriter({ pool: this.#writers ?? pool, statements: this.#statements, opened: keys && writersRows(keys) })
      : undefined;
    this.background = {
      all: (sql, params) => this.#read(this.#heavy, sql, params),
      get: async (sql, params) => (await this.#read(this.#heavy, sql, params))[0] as never,
    };
  }

  /** Rejects with `unavailable` when the server cannot be reached within some seconds, or refuses. */
  static async open(options: PostgresOptions): Promise<PostgresSql> {
    const pool = openPool(options);
    try {
      const { rows: [found] } = await pool.query<{ fsync: string; commit: string; identity: string; schema: string }>(
        DESCRIBE,
      );
      const durable = found!.fsync === 'on' && found!.commit !== 'off';
      const peers = await PostgresPeers.open(options.url);
      const { url, ownFiles } = options;
      const info = {
        driver: 'postgres',
        path: withoutPassword(url),
        durable,
        identity: found!.identity,
        ownFiles,
      } as const;
      return new PostgresSql(pool, peers, info, found!.schema, options);
    } catch (cause) {
      await pool.end();
      if (cause instanceof ServiceError) throw cause;
      throw new ServiceError('unavailable',
        `the database ${withoutPassword(options.url)} cannot be opened: ${reasonOf(cause)}`, { cause });
    }
  }

  all<R extends Row>(sql: string, params?: readonly SqlValue[]): Promise<R[]> {
    return this.#read(this.#pool, sql, params);
  }

  async get<R extends Row>(sql: string, params?: readonly SqlValue[]): Promise<R | undefined> {
    return (await this.all<R>(sql, params))[0];
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>,
    { isolation = 'snapshot', collections }: TransactionOptions = {}): Promise<T>
  {
    this.#refuseInside();
    if (this.#closing !== undefined) throw closedError();
    const tracing = currentTracing();
    const running = tracing === undefined
      ? this.#run(work, isolation, collections)
      : tracing.within(TRANSACTION, () => this.#run(work, isolation, collections));
    this.#pending.add(running);
    try {
      return await running;
    } finally {
      this.#pending.delete(running);
    }
  }

  async *stream<R extends Row>(sql: string, params: readonly SqlValue[] = [],
    options: { batch?: number } = {}): AsyncGenerator<R[]>
  {
    this.#usable();
    const { text, parameters } = this.#statements.translate(sql);
    checkParameters(sql, parameters, params);
    const size = batchSize(options);
    const client = await connect(this.#heavy);
    let cursor: Cursor<R> | undefined;
    try {
      await this.#sealed?.prepare(client);
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      // A consumer may pause for any time between two batches.
      await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      cursor = client.query(new Cursor<R>(text, params.map(toParameter), { types } as never));
      for (let rows = await cursor.read(size); rows.length > 0; rows = await cursor.read(size))
        yield this.#sealed?.open(rows) ?? rows;
    } catch (error) {
      throw translate(error);
    } finally {
      await cursor?.close().catch(() => {});
      await leave(client, false);
    }
  }

  snapshotTo(): Promise<{ sizeBytes: number }> {
    return Promise.reject(
      new ServiceError('not_implemented', 'a PostgreSQL database is copied with its own tools, such as pg_dump'),
    );
  }

  replaceFrom(): Promise<void> {
    return Promise.reject(
      this.#closing === undefined
        ? new ServiceError('not_implemented',
          'a PostgreSQL database is restored with its own tools, such as pg_restore')
        : closedError(),
    );
  }

  /**
   * With keys: rewrites the tables that may have held plaintext; the log of the server and its archives keep theirs.
   */
  async scrub(): Promise<void> {
    this.#usable();
    if (this.#sealed === undefined)
      throw new ServiceError('not_implemented',
        'a PostgreSQL database is rewritten with its own tools, such as VACUUM FULL');
    const client = await connect(this.#heavy);
    try {
      await client.query('SET statement_timeout = 0');
      await client.query(
        this.#statements.translate(
          'VACUUM FULL main.documents, main.revisions, main.deleted_revisions, main.vectors, main.memory_sessions',
        ).text,
      );
    } catch (error) {
      throw translate(error);
    } finally {
      client.release(true);
    }
  }

  async healthy(): Promise<boolean> {
    try {
      this.#usable();
      const { rows: [found] } = await this.#pool.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
      return !found!.standby;
    } catch {
      return false; // the failure itself was already reported to its caller
    }
  }

  async sizeBytes(): Promise<number> {
    return Number((await this.get('SELECT pg_database_size(current_database()) AS bytes'))!['bytes']);
  }

  onTurn(listener: (queries: Queries) => Promise<void>): void {
    if (this.#turns !== undefined) this.#turns.onTurn = listener;
  }

  /** A connection of the pool commits each statement by itself, so it does not matter that this one writes. */
  withoutTurn<R extends Row>(sql: string, params?: readonly SqlValue[]): Promise<R[]> {
    return this.#read(this.#pool, sql, params);
  }

  asReader<T>(work: () => Promise<T>): Promise<T> {
    return this.#readers.run(true, work);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#pending);
    await this.#turns?.close();
    await Promise.all([this.peers.close(), this.#pool.end(), this.#heavy.end(), this.#writers?.end()]);
  }

  /** Reads change nothing, so a read that fails with a lost connection is repeated. */
  async #read<R extends Row>(pool: Pool, sql: string, params: readonly SqlValue[] = []): Promise<R[]> {
    this.#usable();
    const budget = new ReconnectBudget();
    for (;;) {
      try {
        const rows = await this.#readOnce<R>(await pool.connect(), sql, params);
        return this.#sealed?.open(rows) ?? rows;
      } catch (error) {
        if (this.#closing !== undefined) throw closedError();
        if (!isStale(error) && !(isLost(error) && await budget.allows())) throw translate(error);
      }
    }
  }

  async #readOnce<R extends Row>(client: PoolClient, sql: string, params: readonly SqlValue[]): Promise<R[]> {
    try {
      if (this.#sealed !== undefined && EncryptedReads.concerns(sql)) await this.#sealed.prepare(client);
      const { rows } = await this.#statements.query(client, sql, params);
      client.release();
      return rows as R[];
    } catch (error) {
      client.release(isLost(error));
      throw error;
    }
  }

  /** Takes a turn if the writers take turns, unless it only reads. */
  #run<T>(work: (tx: Transaction) => Promise<T>, isolation: NonNullable<TransactionOptions['isolation']>,
    collections: TransactionOptions['collections']): Promise<T>
  {
    const isReader = this.#readers.getStore() === true;
    if (this.#turns !== undefined && !isReader) return this.#turns.transaction(work, collections);
    return this.#untilDone(work, isReader ? BEGIN_READER : BEGIN[isolation]);
  }

  /**
   * Repeats until the transaction is committed, its work rejects, or the tries are exhausted. A repeated try has
   * written nothing.
   */
  async #untilDone<T>(work: (tx: Transaction) => Promise<T>, begin: string): Promise<T> {
    const budget = new ReconnectBudget();
    for (let tries = 1;; tries++) {
      const result = await this.#try(work, begin);
      if ('value' in result) {
        result.tx.committed();
        return result.value;
      }
      const { error, again } = result;
      // A random part of the pause, because transactions that conflicted would conflict again after equal pauses.
      if (again === 'conflict' && tries < CONFLICTS)
        await setTimeout(Math.random() * Math.min(LONGEST_PAUSE_MS, 2 ** tries));
      else if (again !== 'lost' || !await budget.allows()) throw error;
    }
  }

  async #try<T>(work: (tx: Transaction) => Promise<T>, begin: string): Promise<Result<T>> {
    let client: PoolClient;
    try {
      client = await this.#connectReader();
    } catch (error) {
      return { error: translate(error), again: isLost(error) ? 'lost' : undefined };
    }
    const sealed = this.#sealed;
    const tx = new PostgresTransaction(client, this.#statements, {
      begin,
      opened: sealed && ((rows) => sealed.open(rows)),
    });
    const inside = { open: true };
    try {
      const value = await this.#inside.run(inside, async () => work(tx));
      tx.end();
      if (tx.failure !== undefined) throw translate(tx.failure.error);
      return await commit(client, tx, value);
    } catch (error) {
      tx.end();
      const cause = tx.failure?.error;
      const isGone = isLost(cause);
      await leave(client, isGone);
      return { error, again: isGone ? 'lost' : isConflict(cause) || isStale(cause) ? 'conflict' : undefined };
    } finally {
      inside.open = false;
    }
  }

  async #connectReader(): Promise<PoolClient> {
    const client = await this.#pool.connect();
    try {
      await this.#sealed?.prepare(client);
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  #usable(): void {
    this.#refuseInside();
    if (this.#closing !== undefined) throw closedError();
  }

  #refuseInside(): void {
    this.#turns?.refuseInside();
    if (this.#inside.getStore()?.open) throw new Error('inside a transaction only the transaction itself may be used');
  }
}

type Result<T> = { readonly value: T; readonly tx: PostgresTransaction } | { readonly error: unknown;
  readonly again: 'lost' | 'conflict' | undefined };

/**
 * If the connection is lost during the commit, its outcome is unknown: that is reported, and the transaction is not
 * repeated.
 */
async function commit<T>(client: PoolClient, tx: PostgresTransaction, value: T): Promise<Result<T>> {
  try {
    if (tx.hasBegun) await client.query('COMMIT');
  } catch (cause) {
    await leave(client, isLost(cause));
    if (isConflict(cause)) return { error: translate(cause), again: 'conflict' };
    if (!isLost(cause)) return { error: translate(cause), again: undefined };
    return { error: commitDoubt(cause), again: undefined };
  }
  client.release();
  return { value, tx };
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw translate(error);
  }
}

/** Reads the names of the collections without plaintext once for rows with plaintext. */
function writersRows(keys: KeyRing): OpenRows {
  return (rows, query) =>
    openWritersRows(keys, rows, async () => new Set((await query(NAMES_TO_BE_SEALED)).map((row) => row['collection'])));
}

function withoutPassword(url: string): string {
  try {
    const parsed = new URL(url);
    parsed.password = '';
    parsed.search = '';
    return parsed.href;
  } catch {
    return 'of the configured URL';
  }
}
