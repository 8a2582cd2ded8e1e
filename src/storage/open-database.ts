import type { KeyRing } from './encryption/key-ring.ts';
import type { Sql } from './port.ts';
import { NodeSqlite } from './sqlite/driver.ts';
import type { Faults } from './sqlite/writer-engine.ts';

export interface DatabaseOptions {
  /** A file, or `:memory:` for a database that exists as long as the process (`durable: false`). */
  readonly path: string;
  /**
   * Keys of encryption at rest. With them, reads return decrypted values of documents, and deleted or replaced content
   * is overwritten with zeros. Without them, encrypted values are returned as they are stored.
   */
  readonly keys?: KeyRing | undefined;
  /** False: a transaction is acknowledged before it is on disk, and a power failure may undo the latest ones. */
  readonly synced?: boolean;
  /** Milliseconds that a statement waits for another connection's lock; default 5,000. */
  readonly busyTimeoutMs?: number;
  /**
   * Milliseconds that the transactions of a group wait for others to share their sync, at most 5; default 0. They are
   * still acknowledged only after the sync. Without effect on `:memory:`.
   */
  readonly groupWindowMs?: number;
  /** Makes the disk fail, for tests; without effect on `:memory:`. */
  readonly faults?: Faults;
}

/**
 * Opens a database by its path. Rejects with `unavailable` when the file cannot be opened, is not a database, or is in
 * use by another process. The sql.js driver is loaded only when it is needed.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Sql> {
  if (options.path !== ':memory:') return new NodeSqlite(options.path, options.faults, options.keys, options);
  const { SqlJs } = await import('./sqljs/driver.ts');
  return SqlJs.open(options.keys);
}

interface PostgresDatabaseOptions {
  readonly url: string;
  /** Maximum number of connections for transactions and short reads; at least 2 with `turns`. */
  readonly pool: number;
  /** The writers of all processes take turns, as the document service requires: see [port.ts](port.ts). */
  readonly turns?: boolean;
  /** Keys of encryption at rest, as in `DatabaseOptions`; only with `turns`. */
  readonly keys?: KeyRing | undefined;
  /** Start of the paths of files that this process keeps of the database, such as checkpoints of indexes. */
  readonly ownFiles?: string;
}

/** Opens a database of a PostgreSQL server. Rejects with `unavailable` when it cannot be reached. */
export async function openPostgres({ pool, ...options }: PostgresDatabaseOptions): Promise<Sql> {
  const { PostgresSql } = await import('./postgres/driver.ts');
  return PostgresSql.open({ ...options, size: pool });
}
