import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ShipFailure } from './failure.ts';

/**
 * Locks a data folder for this process, because two processes with one identity would disconnect each other for ever.
 * The lock is one of the operating system, taken through SQLite: it is released when the process ends, however that
 * happens. Throws if another process has it.
 */
export function lockFolder(folder: string): { release(): void } {
  const path = join(folder, 'lock');
  const database = new DatabaseSync(path);
  try {
    database.exec(
      'PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE',
    );
  } catch (error) {
    database.close();
    throw new ShipFailure(`${folder} is in use: another \`quire ship run\` works there`, { cause: error });
  }
  return { release: () => database.close() };
}
