import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { DOCUMENT_MIGRATIONS } from '../storage/migrations/index.ts';
import { type DatabaseOptions, openPostgres } from '../storage/open-database.ts';
import type { Sql } from '../storage/port.ts';
import { PostgresDatabases } from './postgres-databases.ts';

export * from '../storage/open-database.ts';

/** The suites of the document service that run over the server of `postgres-setup.ts`. */
let databases: PostgresDatabases | undefined;

/**
 * Takes the place of the same function in tests over PostgreSQL (vitest.config.ts): opens a schema of a server instead
 * of a file, so that suites which know nothing of PostgreSQL run over it.
 */
export async function openDatabase({ path, keys }: DatabaseOptions): Promise<Sql> {
  const open = (url: string) =>
    openPostgres({ url, pool: 3, turns: true, keys, ...(path !== ':memory:' && { ownFiles: path }) });
  const named = process.env['QUIRE_TEST_POSTGRES']!;
  if (named !== 'own') return open(`${named}?options=-c%20search_path%3D${await schemaOf(path, named)}`);
  databases ??= new PostgresDatabases(inject('postgresUrl'), DOCUMENT_MIGRATIONS);
  return databases.open(path, open);
}

/** Makes a schema unless the server has it. */
async function schemaOf(path: string, url: string): Promise<string> {
  const schema = `q${
    createHash('sha256').update(path === ':memory:' ? randomUUID() : path).digest('hex').slice(0, 20)
  }`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  await client.end();
  return schema;
}
