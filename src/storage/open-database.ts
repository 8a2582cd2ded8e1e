import type { Sql } from './port.ts';
import { NodeSqlite, type Faults } from './sqlite/index.ts';

export interface DatabaseOptions {
  /** A file, or `:memory:` for a database that ends with the process (`durable: false`). */
  readonly path: string;
  /** Makes the disk fail, for tests; without effect on `:memory:`. */
  readonly faults?: Faults;
}

/**
 * Opens a database by its path. Rejects with `unavailable` when the file cannot be opened, is not a
 * database, or is in use by another process. The sql.js driver is loaded only when it is asked for.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Sql> {
  if (options.path !== ':memory:') return new NodeSqlite(options.path, options.faults);
  const { SqlJs } = await import('./sqljs/index.ts');
  return SqlJs.open();
}
