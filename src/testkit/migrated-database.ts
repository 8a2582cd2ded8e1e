import { constants, rmSync } from 'node:fs';
import { copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeFolder } from '../lib/files.ts';
import { type DatabaseOptions, openDatabase, type Sql } from '../storage/index.ts';
import { migrate, type Migration } from '../storage/migrations/migrate.ts';
import { NodeSqlite } from '../storage/sqlite/driver.ts';

/** For each service's migrations, a file that they were applied to; shared by the tests of this process. */
const templates = new Map<readonly Migration[], Promise<string>>();

/**
 * A database in the newest format, as after `migrate`. A new one begins as a copy, because the statements that make the
 * tables take up to ten times as long as everything else that opening a small database does.
 */
export async function openMigrated(options: DatabaseOptions, migrations: readonly Migration[]): Promise<Sql> {
  const template = await templateOf(migrations);
  if (options.path !== ':memory:') await copyUnlessThere(template, options.path);
  const sql = await openDatabase(options);
  // Suites that run over PostgreSQL get a schema of a server instead.
  if (sql.info.driver === 'sql.js') await sql.replaceFrom(template);
  await migrate(sql, migrations);
  return sql;
}

async function copyUnlessThere(template: string, path: string): Promise<void> {
  makeFolder(dirname(path), 0o700);
  try {
    await copyFile(template, path, constants.COPYFILE_EXCL);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function templateOf(migrations: readonly Migration[]): Promise<string> {
  const known = templates.get(migrations);
  if (known !== undefined) return known;
  const made = makeTemplate(migrations);
  templates.set(migrations, made);
  return made;
}

async function makeTemplate(migrations: readonly Migration[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-template-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'template.db');
  const sql = new NodeSqlite(path);
  await migrate(sql, migrations);
  await sql.close();
  return path;
}
