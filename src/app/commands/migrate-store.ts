import type { Command } from 'commander';
import type { Sql } from '../../storage/index.ts';
import { CommandError } from './shared/command-error.ts';
import { registerStoreCopy } from './shared/copy-command.ts';
import { type Io, processIo } from './shared/io.ts';

/** `quire migrate-store`: copies the database of the document service between SQLite and PostgreSQL. */
export function registerMigrateStore(program: Command, io: Io = processIo): void {
  registerStoreCopy(program, io, {
    command: 'migrate-store',
    description: 'copy a database of documents from SQLite to PostgreSQL or back, while no server runs',
    file: 'data/quire.db',
    next: 'set SVC_STORAGE_DRIVER, and start the servers',
    migrations: async () => (await import('../../storage/index.ts')).DOCUMENT_MIGRATIONS,
    // The built-in roles.
    ownRows: { roles: 3, role_permissions: 3 },
    check: refuseWhatNodesCannotServe,
  });
}

async function refuseWhatNodesCannotServe(from: Sql): Promise<void> {
  if (from.info.driver === 'postgres') return;
  const encrypted = await from.get<{ collection: string }>(
    "SELECT collection FROM collection_configs WHERE config ->> '$.encrypted' = 1 LIMIT 1",
  );
  if (encrypted !== undefined)
    throw new CommandError(
      `--from: the collection ${encrypted.collection} is encrypted, which the driver postgres cannot serve yet; set ` +
        '"encrypted" to false first',
    );
  const elsewhere = await from.get<{ collection: string }>(
    "SELECT collection FROM body_stores WHERE kind = 'memory' LIMIT 1",
  );
  if (elsewhere !== undefined)
    throw new CommandError(
      `--from: the collection ${elsewhere.collection} has bodies in the memory of its server, which would be lost; ` +
        'give it another storageBackend, and write them again',
    );
}
