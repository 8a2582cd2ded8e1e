import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ServiceError } from '../../../errors/index.ts';
import type { Sql } from '../../../storage/index.ts';
import { CommandError, runCommand } from '../shared/command-error.ts';
import { writeLines, type Io } from '../shared/io.ts';

interface Options {
  readonly from: string;
  readonly to: string;
}

const EXAMPLE = '\nNo server may be running over either. What is copied is read back and compared; the old store stays as it is.\nExample:\n  $ quire runs migrate-store --from sqlite:data/runs/runs.db --to postgres://user:password@host/database';

/** `quire runs migrate-store`: copies a queue between SQLite and PostgreSQL. */
export function registerMigrateStore(runs: Command, io: Io): void {
  runs
    .command('migrate-store')
    .description('copy a queue from SQLite to PostgreSQL or back, while no server runs')
    .requiredOption('--from <store>', 'sqlite:FILE or postgres://...; never changed')
    .requiredOption('--to <store>', 'the other kind; a new file, or a database without runs')
    .addHelpText('after', EXAMPLE)
    .action((options: Options) => runCommand('runs migrate-store', io, () => migrateStore(options, io)));
}

async function migrateStore({ from, to }: Options, io: Io): Promise<void> {
  const kinds = [kindOf('--from', from), kindOf('--to', to)];
  if (kinds[0] === kinds[1]) throw new CommandError(`--from and --to are both ${kinds[0]}: one has to be SQLite, the other PostgreSQL`);
  const file = from.replace(/^sqlite:/, '');
  if (kinds[0] === 'SQLite' && !existsSync(file)) throw new CommandError(`--from: there is no file ${file}`);
  const { copyStore, migrate, RUN_QUEUE_MIGRATIONS } = await import('../../../storage/index.ts');
  await forUser(async () => {
    await using source = closing(await open(from));
    await using target = closing(await open(to));
    await migrate(target.sql, RUN_QUEUE_MIGRATIONS);
    const tables = await copyStore(source.sql, target.sql);
    writeLines(io.stdout, tables.map(({ name, rows, checksum }) => `${name}: ${rows} rows, SHA-256 ${checksum}`));
    writeLines(io.stderr, ['everything was read back and is the same; set storage.driver, and start the servers']);
  });
}

function kindOf(flag: string, store: string): 'SQLite' | 'PostgreSQL' {
  if (/^sqlite:./.test(store)) return 'SQLite';
  if (/^postgres(?:ql)?:\/\//.test(store)) return 'PostgreSQL';
  throw new CommandError(`${flag}: expected sqlite:FILE or postgres://user:password@host/database, got ${store.replace(/:\/\/.*/, '://...')}`);
}

/** Refuses a store that somebody has open. A file is locked by who has it. */
async function open(store: string): Promise<Sql> {
  const { openDatabase, openPostgres } = await import('../../../storage/index.ts');
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
