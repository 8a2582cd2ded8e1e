import { ServiceError } from '../../errors/index.ts';
import type { Queries, Row, Sql, SqlValue, Transaction, TransactionOptions } from '../../storage/index.ts';

/**
 * A database that refuses writes while there is a reason: that of a follower, which accepts only the leader's changes,
 * and that of a leader that was replaced by another one. Throws `read_only`.
 */
export class GuardedSql implements Sql {
  readonly info: Sql['info'];
  readonly background: Queries;
  readonly #sql: Sql;
  readonly #refusal: () => string | undefined;

  constructor(sql: Sql, refusal: () => string | undefined) {
    this.info = sql.info;
    this.background = sql.background;
    this.#sql = sql;
    this.#refusal = refusal;
  }

  all<R extends Row>(sql: string, params?: readonly SqlValue[]): Promise<R[]> {
    return this.#sql.all<R>(sql, params);
  }

  get<R extends Row>(sql: string, params?: readonly SqlValue[]): Promise<R | undefined> {
    return this.#sql.get<R>(sql, params);
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.#sql.transaction((tx) => work(this.#refusal() === undefined ? tx : this.#reading(tx)), options);
  }

  stream<R extends Row>(sql: string, params?: readonly SqlValue[], options?: { batch?: number }): AsyncIterable<R[]> {
    return this.#sql.stream<R>(sql, params, options);
  }

  snapshotTo(file: string): Promise<{ sizeBytes: number }> {
    return this.#sql.snapshotTo(file);
  }

  async replaceFrom(file: string): Promise<void> {
    this.#refuse();
    await this.#sql.replaceFrom(file);
  }

  /** Removes content that is no longer visible, and changes no row. */
  scrub(): Promise<void> {
    return this.#sql.scrub();
  }

  healthy(): Promise<boolean> {
    return this.#sql.healthy();
  }

  sizeBytes(): Promise<number> {
    return this.#sql.sizeBytes();
  }

  close(): Promise<void> {
    return this.#sql.close();
  }

  #reading(tx: Transaction): Transaction {
    const refuse = async (): Promise<never> => this.#refuse() as never;
    return {
      all: (sql, params) => tx.all(sql, params),
      get: (sql, params) => tx.get(sql, params),
      run: refuse,
      runMany: refuse,
      onCommit: (listener) => tx.onCommit(listener),
      ...(tx.onWritten && { onWritten: (listener) => tx.onWritten!(listener) }),
      lock: (...names) => tx.lock(...names),
    };
  }

  #refuse(): void {
    const reason = this.#refusal();
    if (reason !== undefined) throw new ServiceError('read_only', reason);
  }
}
