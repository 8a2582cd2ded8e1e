import { type Clock, unixSeconds } from '../../lib/clock.ts';
import { isSystemCollection } from '../../lib/system-collection.ts';
import type { KeyRing, Queries, Transaction } from '../../storage/index.ts';
import { type CollectionConfig, openCredentials, sealCredentials } from './collection-config.ts';

/**
 * The stored configuration of a collection, by its lowercased name. Throws `internal` for a credential whose key is not
 * configured.
 */
export async function readConfig(queries: Queries, name: string,
  keys: KeyRing | undefined): Promise<CollectionConfig | undefined>
{
  const row = await queries.get<{ config: string }>('SELECT config FROM collection_configs WHERE collection = ?', [
    name,
  ]);
  return row && openCredentials(name, JSON.parse(row.config) as CollectionConfig, keys);
}

export async function readConfigs(queries: Queries,
  keys: KeyRing | undefined): Promise<(readonly [string, CollectionConfig])[]>
{
  const rows = await queries.all<{ collection: string; config: string }>(
    'SELECT collection, config FROM collection_configs',
  );
  return rows.map(({ collection, config }) =>
    [collection, openCredentials(collection, JSON.parse(config) as CollectionConfig, keys)] as const
  );
}

/** Credentials are encrypted if the server has keys. */
export async function writeConfig(tx: Transaction, name: string, config: CollectionConfig,
  { clock, keys }: { readonly clock: Clock; readonly keys?: KeyRing | undefined }): Promise<void>
{
  await tx.run(`INSERT INTO collection_configs(collection, config, updated_at) VALUES (?, ?, ?)
     ON CONFLICT(collection) DO UPDATE SET config = excluded.config, updated_at = excluded.updated_at`, [name,
    JSON.stringify(sealCredentials(name, config, keys)), unixSeconds(clock)]);
}

/** Returns whether it existed. */
export async function removeConfig(tx: Transaction, name: string): Promise<boolean> {
  return (await tx.run('DELETE FROM collection_configs WHERE collection = ?', [name])).changes > 0;
}

/** All configurations by lowercased name of the collection: every write needs them, so they stay in memory. */
export class ConfigCache {
  #configs = new Map<string, CollectionConfig>();

  get(collection: string): CollectionConfig | undefined {
    return this.#configs.get(collection.toLowerCase());
  }

  /** Undefined removes the entry. */
  set(name: string, config: CollectionConfig | undefined): void {
    if (config === undefined) this.#configs.delete(name);
    else this.#configs.set(name, config);
  }

  replace(configs: Iterable<readonly [string, CollectionConfig]>): void {
    this.#configs = new Map(configs);
  }

  all(): Iterable<readonly [string, CollectionConfig]> {
    return this.#configs;
  }

  /** By name, without those of the system. */
  list(): (readonly [string, CollectionConfig])[] {
    return [...this.#configs].filter(([name]) => !isSystemCollection(name)).sort(([a], [b]) => (a < b ? -1 : 1));
  }
}
