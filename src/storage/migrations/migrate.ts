import { ServiceError } from '../../errors/index.ts';
import { type Clock, systemClock, unixSeconds } from '../../lib/clock.ts';
import type { Sql, Transaction } from '../port.ts';
import { statements } from '../sql-text.ts';

/**
 * One step of a database's format. A released migration is never edited; a change is a new one.
 *
 * A migration after which an older build must not use the database (it would misread or damage the new form) is
 * breaking and says so, with the reason, in the first line of its script: `-- breaking: …`. An older
 * build refuses a database with a newer breaking migration and accepts one with others.
 */
export interface Migration {
  /** 1, 2, 3 … without a gap. */
  readonly version: number;
  /** Also identifies the service that a database belongs to. */
  readonly name: string;
  /** A script of statements in SQLite's dialect. */
  readonly sql: string;
}

const VERSION_TABLE = `
  CREATE TABLE IF NOT EXISTS schema_version(
    version INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    breaking INTEGER NOT NULL,
    applied_at INTEGER NOT NULL
  ) STRICT`;

interface Applied {
  readonly [column: string]: string | number;
  readonly version: number;
  readonly name: string;
  readonly breaking: number;
}

/**
 * Brings a database to the newest format of `migrations` and returns the formats before and after. Each migration
 * commits together with its mark, so that an interrupted start can be repeated; those of a new database, which have
 * nothing to convert, commit together.
 *
 * Throws `unavailable`, having changed nothing, when a newer build wrote the database in a form this one does not
 * understand, or when the database belongs to another service.
 */
export async function migrate(sql: Sql, migrations: readonly Migration[],
  clock: Clock = systemClock): Promise<{ from: number; to: number }>
{
  assertNumbered(migrations);
  await inTurn(sql, (tx) => tx.run(VERSION_TABLE));
  const applied = await sql.all<Applied>('SELECT version, name, breaking FROM schema_version ORDER BY version');
  refuseForeign(sql.info.path, applied, migrations);
  refuseNewer(sql.info.path, applied, migrations.length);
  const from = applied.at(-1)?.version ?? 0;
  const missing = migrations.slice(from);
  for (const together of from === 0 ? [missing] : missing.map((migration) => [migration])) {
    await inTurn(sql, async (tx) => {
      for (const migration of together) await apply(tx, migration, unixSeconds(clock));
    });
  }
  return { from, to: Math.max(from, migrations.length) };
}

/** Only one process migrates at a time, and each sees what earlier ones have done. */
function inTurn(sql: Sql, work: (tx: Transaction) => Promise<unknown>): Promise<unknown> {
  return sql.transaction(async (tx) => {
    await tx.lock('migrations');
    return work(tx);
  }, { isolation: 'read committed' });
}

async function apply(tx: Transaction, migration: Migration, at: number): Promise<void> {
  if ((await tx.get('SELECT 1 AS done FROM schema_version WHERE version = ?', [migration.version])) !== undefined)
    return; // by another process
  for (const statement of statements(migration.sql)) await tx.run(statement);
  const row = [migration.version, migration.name, Number(isBreaking(migration)), at];
  await tx.run('INSERT INTO schema_version(version, name, breaking, applied_at) VALUES (?, ?, ?, ?)', row);
}

function isBreaking(migration: Migration): boolean {
  return /^\s*-- breaking:/.test(migration.sql);
}

function assertNumbered(migrations: readonly Migration[]): void {
  const wrong = migrations.find(({ version }, i) => version !== i + 1);
  if (wrong !== undefined) throw new Error(`migration "${wrong.name}" has number ${wrong.version}, which leaves a gap`);
}

function refuseForeign(path: string, applied: readonly Applied[], migrations: readonly Migration[]): void {
  const foreign = applied.find(({ version, name }) =>
    version <= migrations.length && migrations[version - 1]!.name !== name
  );
  if (foreign === undefined) return;
  throw new ServiceError('unavailable',
    `database ${path} belongs to another service (its format ${foreign.version} is "${foreign.name}")`);
}

function refuseNewer(path: string, applied: readonly Applied[], known: number): void {
  const breaking = applied.findLast((row) => row.version > known && row.breaking === 1);
  if (breaking === undefined) return;
  throw new ServiceError('unavailable',
    `database ${path} was written by a newer version (format ${breaking.version}, this build knows ${known}); use ` +
      'that version or restore a backup');
}
