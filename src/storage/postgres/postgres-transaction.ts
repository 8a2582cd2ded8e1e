import type { PoolClient } from 'pg';
import type { Row, SqlValue, Transaction } from '../port.ts';
import { controlsTransaction } from '../statement-kinds.ts';
import { translate } from './failures.ts';
import type { Statements } from './statements.ts';

/** One try of a transaction, over one connection. A statement that fails dooms it, whether or not the work catches the error. */
export class PostgresTransaction implements Transaction {
  readonly #client: PoolClient;
  readonly #statements: Statements;
  readonly #listeners: (() => void)[] = [];
  #ended = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(client: PoolClient, statements: Statements) {
    this.#client = client;
    this.#statements = statements;
  }

  /** What the database said of the first statement that failed. */
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
    return this.#step(sql, async () => (await this.#statements.query(this.#client, sql, params)).rows as R[]);
  }

  async get<R extends Row>(sql: string, params: readonly SqlValue[] = []): Promise<R | undefined> {
    return (await this.all<R>(sql, params))[0];
  }

  run(sql: string, params: readonly SqlValue[] = []): Promise<{ changes: number }> {
    return this.#step(sql, () => this.#statements.run(this.#client, sql, params));
  }

  runMany(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<{ changes: number }> {
    return this.#step(sql, async () => {
      let changes = 0;
      for (const row of rows) changes += (await this.#statements.run(this.#client, sql, row)).changes;
      return { changes };
    });
  }

  async lock(name: string): Promise<void> {
    await this.all("SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ':' || ?, 0)) IS NULL AS done", [name]);
  }

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
