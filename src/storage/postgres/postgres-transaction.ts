import type { PoolClient } from 'pg';
import type { Row, SqlValue, Transaction } from '../port.ts';
import { controlsTransaction } from '../sql-text.ts';
import { translate } from './failures.ts';
import { inChunks } from './rows-at-once.ts';
import type { Statements } from './statements.ts';

/** Decrypts the encrypted values of rows; `query` reads over the connection of the transaction. */
export type OpenRows = <R extends Row>(rows: R[], query: (sql: string) => Promise<Row[]>) => R[] | Promise<R[]>;

/**
 * One try of a transaction, over one connection. It begins with its first statement. A statement that fails makes the
 * whole transaction fail, whether or not `work` catches the error. Statements run in the order of the calls, even if
 * they are not awaited.
 */
export class PostgresTransaction implements Transaction {
  readonly #client: PoolClient;
  readonly #statements: Statements;
  readonly #begin: string | undefined;
  readonly #opened: OpenRows | undefined;
  #begun: Promise<unknown> | undefined;
  #isBegun = false;
  readonly #listeners: (() => void)[] = [];
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  readonly complete: (() => void) | undefined;
  readonly isShared: true | undefined;

  /**
   * `begin`: the statement that begins it; absent if it has begun. `opened` decrypts rows. `commit` is called when the
   * work says that it is complete.
   */
  constructor(client: PoolClient, statements: Statements,
    { begin, opened, commit, isShared }: { readonly begin?: string; readonly opened?: OpenRows | undefined;
      readonly commit?: () => void; readonly isShared?: true | undefined } = {})
  {
    this.isShared = isShared;
    this.#client = client;
    this.#statements = statements;
    this.#begin = begin;
    this.#opened = opened;
    this.#isBegun = begin === undefined;
    this.complete = commit && (() => {
      // A statement that was never sent cannot make the server roll back.
      if (!this.#ended && this.#failure === undefined) commit();
      this.#ended = true;
    });
  }

  /** False while there is nothing to commit. */
  get hasBegun(): boolean {
    return this.#isBegun || this.#begun !== undefined;
  }

  /** The database's error for the first statement that failed. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  end(): void {
    this.#ended = true;
  }

  onCommit(listener: () => void): void {
    this.#listeners.push(listener);
  }

  committed(): void {
    for (const listener of this.#listeners) listener();
  }

  async all<R extends Row>(sql: string, params: readonly SqlValue[] = []): Promise<R[]> {
    const rows = await this.#all<R>(sql, params);
    // Outside the step, because a value that cannot be decrypted is not a failure of the database.
    return this.#opened === undefined ? rows : this.#opened(rows, (query) => this.#all(query, []));
  }

  #all<R extends Row>(sql: string, params: readonly SqlValue[]): Promise<R[]> {
    return this.#step(sql, () => (this.#isBegun ? this.#query<R>(sql, params) : this.#first<R>(sql, params)));
  }

  #query<R extends Row>(sql: string, params: readonly SqlValue[]): Promise<R[]> {
    return this.#statements.query(this.#client, sql, params).then(({ rows }) => rows as R[]);
  }

  /** If it only reads, the first statement need not wait for BEGIN: if BEGIN failed, nothing would be written. */
  async #first<R extends Row>(sql: string, params: readonly SqlValue[]): Promise<R[]> {
    const begun = this.#ensureBegun();
    if (!/^\s*select\b/i.test(sql)) await begun;
    const sent = async (): Promise<R[]> => this.#query<R>(sql, params); // `begun` is awaited, too, if it throws
    const [rows] = await Promise.all([sent(), begun]);
    return rows;
  }

  async get<R extends Row>(sql: string, params: readonly SqlValue[] = []): Promise<R | undefined> {
    return (await this.all<R>(sql, params))[0];
  }

  run(sql: string, params: readonly SqlValue[] = []): Promise<{ changes: number }> {
    const send = (): Promise<{ changes: number }> => this.#statements.run(this.#client, sql, params);
    return this.#step(sql, () => (this.#isBegun ? send() : this.#ensureBegun().then(send)));
  }

  runMany(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<{ changes: number }> {
    const send = (): Promise<{ changes: number }> => this.#sendMany(sql, rows);
    return this.#step(sql, () => (this.#isBegun ? send() : this.#ensureBegun().then(send)));
  }

  #sendMany(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<{ changes: number }> {
    const sent: Promise<{ changes: number }>[] = [];
    try {
      for (const [statement, values] of inChunks(sql, rows, (table) =>
        this.#statements.columnTypes(this.#client, table)))
        sent.push(this.#statements.run(this.#client, statement, values));
    } catch (error) {
      void Promise.allSettled(sent); // this failure is the one that counts
      throw error;
    }
    return settled(sent).then((results) => ({ changes: results.reduce((sum, { changes }) => sum + changes, 0) }));
  }

  async lock(...names: string[]): Promise<void> {
    const list = names.map(() => '(CAST(? AS TEXT))').join(', ');
    if (names.length > 0)
      await this.all(
        `SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ':' || column1, 0)) IS NULL AS done FROM ` +
          `(VALUES ${list}) AS names`,
        names,
      );
  }

  #ensureBegun(): Promise<unknown> {
    return (this.#begun ??= this.#client.query(this.#begin!).then(() => (this.#isBegun = true)));
  }

  /** What `step` throws at once is a failure when this returns, so that `complete` sees it. */
  async #step<T>(sql: string, step: () => Promise<T>): Promise<T> {
    if (this.#ended) throw new Error(`the transaction has ended: ${sql}`);
    if (this.#failure !== undefined) throw translate(this.#failure.error);
    if (controlsTransaction(sql)) throw new Error(`not allowed inside a transaction: ${sql}`);
    try {
      return await step();
    } catch (error) {
      this.#failure ??= { error };
      throw translate(error);
    }
  }
}

/** Returns all results, or rejects with the first failure once all statements have ended. */
export async function settled<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
