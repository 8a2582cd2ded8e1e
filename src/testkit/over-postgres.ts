import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { openPostgres, type DatabaseOptions } from '../storage/open-database.ts';
import type { Sql } from '../storage/port.ts';

export * from '../storage/open-database.ts';

/**
 * Takes the place of the same function in tests over PostgreSQL (vitest.config.ts): opens a schema of a server instead of a file, so that suites which know nothing of PostgreSQL run over it.
 */
export async function openDatabase({ path, keys }: DatabaseOptions): Promise<Sql> {
  const named = process.env['QUIRE_TEST_POSTGRES']!;
  const url = named === 'own' ? inject('postgresUrl') : named;
  const schema = `q${createHash('sha256').update(path === ':memory:' ? randomUUID() : path).digest('hex').slice(0, 20)}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  await client.end();
  return openPostgres({ url: `${url}?options=-c%20search_path%3D${schema}`, pool: 3, turns: true, keys, ...(path !== ':memory:' && { ownFiles: path }) });
}
