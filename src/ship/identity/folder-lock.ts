import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ShipFailure } from './failure.ts';

/**
 * Keeps a data folder for this process, because two that sail under one identity would throw each other
 * out for ever. The lock is one of the operating system, taken by way of SQLite: it ends with the process, however
 * that ends. Throws when another process has it.
 */
export function lockFolder(folder: string): { release(): void } {
  const path = join(folder, 'lock');
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw new ShipFailure(`${folder} is in use: another \`quire ship run\` works there`, { cause: error });
  }
  return { release: () => database.close() };
}
