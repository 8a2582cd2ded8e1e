import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ServiceError } from '../../errors/index.ts';
import type { Migration, Sql } from '../../storage/index.ts';
import { CommandError, runCommand } from './shared/command-error.ts';
import { type Io, processIo, writeLines } from './shared/io.ts';

interface Options {
  readonly from: string;
  readonly to: string;
}

/** What a service's command copies. */
export interface StoreKind {
  /** The command, without `quire`. */
  readonly command: string;
  readonly description: string;
  /** A file for the example. */
  readonly file: string;
  /** How servers are configured to use the other store afterwards. */
  readonly next: string;
  readonly migrations: () => Promise<readonly Migration[]>;
  /** Rows that these write, by table. */
  readonly ownRows?: Readonly<Record<string, number>>;
  /** Throws a `CommandError` for a store that the other kind cannot hold. */
  readonly check?: (from: Sql) => Promise<void>;
}

/** `migrate-store` of a service: copies its store between SQLite and PostgreSQL. */
export function registerStoreCopy(parent: Command, io: Io, kind: StoreKind): void {
  parent.command('migrate-store').description(kind.description).requiredOption('--from <store>',
    'sqlite:FILE or postgres://...; never changed').requiredOption('--to <store>',
      'the other kind; a new file, or a database without rows').addHelpText('after',
      `\nNo server may be running over either. What is copied is read back and compared; the old store stays as it ` +
        `is.\nExample:\n  $ quire ${kind.command} --from sqlite:${kind.file} --to ` +
        'postgres://user:password@host/database').action((options: Options) =>
      runCommand(kind.command, io, () => migrateStore(kind, options, io))
    );
}

async function migrateStore({ migrations, ownRows, check, next }: StoreKind, { from, to }: Options,
  io: Io): Promise<void>
{
  const kinds = [kindOf('--from', from), kindOf('--to', to)];
  if (kinds[0] === kinds[1])
    throw new CommandError(`--from and --to are both ${kinds[0]}: one has to be SQLite, the other PostgreSQL`);
  const file = from.replace(/^sqlite:/, '');
  if (kinds[0] === 'SQLite' && !existsSync(file)) throw new CommandError(`--from: there is no file ${file}`);
  const { copyStore, migrate } = await import('../../storage/index.ts');
  await forUser(async () => {
    await using source = closing(await open(from));
    await using target = closing(await open(to));
    await check?.(source.sql);
    await migrate(target.sql, await migrations());
    const tables = await copyStore(source.sql, target.sql, ownRows);
    writeLines(io.stdout, tables.map(({ name, rows, checksum }) => `${name}: ${rows} rows, SHA-256 ${checksum}`));
    writeLines(io.stderr, [`everything was read back and is the same; ${next}`]);
  });
}

function kindOf(flag: string, store: string): 'SQLite' | 'PostgreSQL' {
  if (/^sqlite:./.test(store)) return 'SQLite';
  if (/^postgres(?:ql)?:\/\//.test(store)) return 'PostgreSQL';
  throw new CommandError(
    `${flag}: expected sqlite:FILE or postgres://user:password@host/database, got ${
      store.replace(/:\/\/.*/, '://...')
    }`,
  );
}

/**
 * Rejects a store that a server uses. Only PostgreSQL needs a check: the process that uses an SQLite file holds a lock
 * on it.
 */
async function open(store: string): Promise<Sql> {
  const { openDatabase, openPostgres } = await import('../../storage/index.ts');
  if (store.startsWith('sqlite:')) return openDatabase({ path: resolve(store.slice('sqlite:'.length)) });
  const sql = await openPostgres({ url: store, pool: 3 });
  if (sql.peers!.first) return sql;
  await sql.close();
  throw new CommandError(`a server is running over ${sql.info.path}; stop it first`);
}

const closing = (sql: Sql) => ({ sql, [Symbol.asyncDispose]: () => sql.close() });

async function forUser(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ServiceError) throw new CommandError(error.message, { cause: error });
    throw error;
  }
}

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
