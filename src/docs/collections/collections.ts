import type { Operations } from '../../../generated/docs/operations.ts';
import type { Handlers } from '../../operations/index.ts';
import { refuseOlderBuilds, type Transaction } from '../../storage/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { checkConfig } from './check-config.ts';
import type { CollectionConfig } from './collection-config.ts';
import { ConfigCache } from './config-cache.ts';
import { readConfig, readConfigs, removeConfig, writeConfig } from './config-rows.ts';
import { markSwitch } from './encryption-switch.ts';
import { mergeConfig, type ConfigChanges } from './merge-config.ts';
import { presentConfig } from './present-config.ts';

type CollectionHandlers = Required<Pick<Handlers<Operations>,
  'getCollectionConfig' | 'setCollectionConfig' | 'deleteCollectionConfig' | 'listCollectionConfigs'>>;

/** The settings of collections. */
export interface Collections {
  readonly handlers: CollectionHandlers;
  /** Reads all configurations into memory; before the first use, and again when the database was replaced. */
  load(): Promise<void>;
  /** The stored configuration with its credentials, undefined when there is none. Letter case does not matter. */
  configOf(collection: string): CollectionConfig | undefined;
  /**
   * Merges changes into a collection's configuration within a transaction (decision D-44), whose
   * commit makes them known to `configOf`. Throws where the merged settings do not fit together.
   */
  configure(tx: Transaction, collection: string, changes: ConfigChanges): Promise<void>;
  /** All configurations by lowercased name, those of the system included. */
  configs(): Iterable<readonly [string, CollectionConfig]>;
  /** Has the listener called when the encryption of a collection was switched on or off; must not throw. */
  onEncryptionSwitched(listener: () => void): void;
}

export function createCollections({ sql, feed, clock, keys }: Pick<DocsEnvironment, 'sql' | 'feed' | 'clock' | 'keys'>): Collections {
  const cache = new ConfigCache();
  const listeners: (() => void)[] = [];
  const switched = async (tx: Transaction, name: string, before: CollectionConfig, after: CollectionConfig): Promise<void> => {
    const encrypted = after.encrypted === true;
    if ((before.encrypted === true) === encrypted) return;
    await markSwitch(tx, name, encrypted);
    if (encrypted) await refuseOlderBuilds(tx, 'encryption');
    tx.onCommit(() => listeners.forEach((listener) => listener()));
  };
  const configure = async (tx: Transaction, collection: string, changes: ConfigChanges): Promise<void> => {
    const name = collection.toLowerCase();
    // What is merged into is read here and not from memory: an earlier write may not be there yet.
    const before = (await readConfig(tx, name)) ?? {};
    const config = mergeConfig(before, changes);
    checkConfig(config, { encryptionKey: keys !== undefined });
    await writeConfig(tx, name, config, clock);
    await feed.append(tx, [{ kind: 'config.put', collection: name }]);
    tx.onCommit(() => cache.set(name, config));
    await switched(tx, name, before, config);
  };
  const remove = async (tx: Transaction, name: string): Promise<void> => {
    const before = (await readConfig(tx, name)) ?? {};
    if (!(await removeConfig(tx, name))) return;
    await feed.append(tx, [{ kind: 'config.delete', collection: name }]);
    tx.onCommit(() => cache.set(name, undefined));
    await switched(tx, name, before, {});
  };

  // A transaction, so that no write can commit between the reading and the replacing.
  const load = (): Promise<void> => sql.transaction(async (tx) => {
    const configs = await readConfigs(tx);
    tx.onCommit(() => cache.replace(configs));
  });

  const handlers: CollectionHandlers = {
    async getCollectionConfig({ collection }) {
      const config = cache.get(collection);
      return { collection, config: presentConfig(collection, config ?? {}), configured: config !== undefined };
    },
    async setCollectionConfig({ collection, ...changes }) {
      await sql.transaction((tx) => configure(tx, collection, changes));
      return { status: 'ok', collection };
    },
    async deleteCollectionConfig({ collection }) {
      await sql.transaction((tx) => remove(tx, collection.toLowerCase()));
      return { status: 'deleted', collection };
    },
    async listCollectionConfigs(_input, { identity }) {
      const visible = cache.list().filter(([collection]) => identity.may('read', collection));
      const configs = visible.map(([collection, config]) => ({ collection, config: presentConfig(collection, config) }));
      return { configs, total: configs.length };
    },
  };
  return {
    handlers, configure, configOf: (collection) => cache.get(collection), load,
    configs: () => cache.all(),
    onEncryptionSwitched: (listener) => void listeners.push(listener),
  };
}
