import type { Sql } from './port.ts';
import type { KeyRing } from './sealing/index.ts';
import { NodeSqlite, type Faults } from './sqlite/index.ts';

export interface DatabaseOptions {
  /** A file, or `:memory:` for a database that ends with the process (`durable: false`). */
  readonly path: string;
  /**
   * Keys of encryption at rest. With them, reading opens sealed values of documents, and what is deleted or
   * replaced is overwritten with zeros. Without, sealed values are answered as they are stored.
   */
  readonly keys?: KeyRing | undefined;
  /** False: a transaction is acknowledged before the disk has it, and a power failure may undo the latest ones. */
  readonly synced?: boolean;
  /** Milliseconds that a statement waits for another connection's lock; 5,000 unless said. */
  readonly busyTimeoutMs?: number;
  /**
   * Milliseconds that the transactions of a group wait for others to share their sync, at most 5; 0 unless said. They
   * are acknowledged after it all the same. Without effect on `:memory:`.
   */
  readonly groupWindowMs?: number;
  /** Makes the disk fail, for tests; without effect on `:memory:`. */
  readonly faults?: Faults;
}

/**
 * Opens a database by its path. Rejects with `unavailable` when the file cannot be opened, is not a
 * database, or is in use by another process. The sql.js driver is loaded only when it is asked for.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Sql> {
  if (options.path !== ':memory:') return new NodeSqlite(options.path, options.faults, options.keys, options);
  const { SqlJs } = await import('./sqljs/index.ts');
  return SqlJs.open(options.keys);
}

/** Opens a database of a PostgreSQL server, through at most `pool` connections for transactions. Rejects with `unavailable` when it cannot be reached. */
export async function openPostgres(options: { readonly url: string; readonly pool: number }): Promise<Sql> {
  const { PostgresSql } = await import('./postgres/index.ts');
  return PostgresSql.open({ url: options.url, size: options.pool });
}
