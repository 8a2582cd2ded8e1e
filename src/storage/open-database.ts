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

export interface PostgresDatabaseOptions {
  readonly url: string;
  /** Connections for transactions and short reads, at most; at least 2 with `turns`. */
  readonly pool: number;
  /** The writers of all processes take turns, as the document service needs it: see [port.ts](port.ts). */
  readonly turns?: boolean;
}

/** Opens a database of a PostgreSQL server. Rejects with `unavailable` when it cannot be reached. */
export async function openPostgres({ url, pool, turns = false }: PostgresDatabaseOptions): Promise<Sql> {
  const { PostgresSql } = await import('./postgres/index.ts');
  return PostgresSql.open({ url, size: pool, turns });
}
