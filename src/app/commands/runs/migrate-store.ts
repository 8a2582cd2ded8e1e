import type { Command } from 'commander';
import { registerStoreCopy } from '../shared/copy-command.ts';
import type { Io } from '../shared/io.ts';

/** `quire runs migrate-store`: copies a queue between SQLite and PostgreSQL. */
export function registerMigrateStore(runs: Command, io: Io): void {
  registerStoreCopy(runs, io, {
    command: 'runs migrate-store',
    description: 'copy a queue from SQLite to PostgreSQL or back, while no server runs',
    file: 'data/runs/runs.db',
    next: 'set storage.driver, and start the servers',
    migrations: async () => (await import('../../../storage/index.ts')).RUN_QUEUE_MIGRATIONS,
  });
}
