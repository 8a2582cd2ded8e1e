import { unixSeconds, type Clock } from '../../lib/clock.ts';
import type { Queries, Transaction } from '../../storage/index.ts';
import type { CollectionConfig } from './collection-config.ts';

/** The stored configuration of a collection, by its lowercased name. */
export async function readConfig(queries: Queries, name: string): Promise<CollectionConfig | undefined> {
  const row = await queries.get<{ config: string }>('SELECT config FROM collection_configs WHERE collection = ?', [name]);
  return row && (JSON.parse(row.config) as CollectionConfig);
}

export async function readConfigs(queries: Queries): Promise<(readonly [string, CollectionConfig])[]> {
  const rows = await queries.all<{ collection: string; config: string }>('SELECT collection, config FROM collection_configs');
  return rows.map(({ collection, config }) => [collection, JSON.parse(config) as CollectionConfig] as const);
}

export async function writeConfig(tx: Transaction, name: string, config: CollectionConfig, clock: Clock): Promise<void> {
  await tx.run(
    `INSERT INTO collection_configs(collection, config, updated_at) VALUES (?, ?, ?)
     ON CONFLICT(collection) DO UPDATE SET config = excluded.config, updated_at = excluded.updated_at`,
    [name, JSON.stringify(config), unixSeconds(clock)],
  );
}

/** Tells whether there was one. */
export async function removeConfig(tx: Transaction, name: string): Promise<boolean> {
  return (await tx.run('DELETE FROM collection_configs WHERE collection = ?', [name])).changes > 0;
}
