import { isDeepStrictEqual } from 'node:util';
import type { Operations } from '../../../generated/docs/operations.ts';
import type { Handlers } from '../../operations/index.ts';
import { type NewChange, type Queries, SWITCH_PREFIX as PREFIX, type Transaction } from '../../storage/index.ts';
import type { Bodies } from '../bodies/index.ts';
import { type DocsEnvironment, transactFor } from '../environment.ts';
import { requireUnusedFields } from './changed-fields.ts';
import { checkConfig, type CollectionConfig, type ConfigChanges, mergeConfig,
  presentConfig } from './collection-config.ts';
import { ConfigCache, readConfig, readConfigs, removeConfig, writeConfig } from './config-rows.ts';
import { markUnfilled, requireProviders } from './unfilled.ts';
import { spacesOf } from './vector-fields.ts';

type CollectionHandlers = Required<
  Pick<Handlers<Operations>,
    'getCollectionConfig' | 'setCollectionConfig' | 'deleteCollectionConfig' | 'listCollectionConfigs'>
>;

/** The settings of collections. */
export interface Collections {
  readonly handlers: CollectionHandlers;
  /** Reads all configurations into memory. Call it before the first use, and again after the database was replaced. */
  load(): Promise<void>;
  /** The stored configuration with its credentials, undefined when there is none. Letter case does not matter. */
  configOf(collection: string): CollectionConfig | undefined;
  /**
   * Merges changes into a collection's configuration within a transaction; `configOf` returns them after its commit.
   * Throws if the merged settings contradict each other, and if they name another place for bodies, because that place
   * must be tested first.
   */
  configure(tx: Transaction, collection: string, changes: ConfigChanges): Promise<void>;
  /** All configurations by lowercased name, those of the system included. */
  configs(): Iterable<readonly [string, CollectionConfig]>;
  /** Calls the listener when the encryption of a collection was switched on or off; the listener must not throw. */
  onEncryptionSwitched(listener: () => void): void;
  /**
   * Calls the listener when the spaces of a collection's embeddings have changed, and when all configurations were read
   * again; the listener must not throw. The answer to a write waits for it.
   */
  onSpacesChanged(listener: () => Promise<void>): void;
}

/** Where bodies outside of the database are stored; without it, collections store all bodies in the database. */
interface CollectionsAreas {
  /** Where the configurations are kept in memory; a cache of its own when absent. */
  readonly configs?: ConfigCache;
  readonly bodies?: Pick<Bodies, 'probe' | 'remember'>;
}

type Placement = Pick<CollectionConfig, 'storageBackend' | 'storageConfig'>;

export function createCollections(
  { sql, feed, clock, keys, isNode = false }: Pick<DocsEnvironment, 'sql' | 'feed' | 'clock' | 'keys' | 'isNode'>,
  { bodies, configs: cache = new ConfigCache() }: CollectionsAreas = {},
): Collections {
  const listeners: (() => void)[] = [];
  const spaceListeners: (() => Promise<void>)[] = [];
  let prepared: Promise<unknown> = Promise.resolve();
  const prepareSpaces = (): void => void (prepared = Promise.all(spaceListeners.map((listener) => listener())));
  const spacesChanged = async (tx: Transaction, name: string, before: CollectionConfig,
    after: CollectionConfig): Promise<void> =>
  {
    if (isDeepStrictEqual(spacesOf(before), spacesOf(after))) return;
    await markUnfilled(tx, name);
    tx.onCommit(prepareSpaces);
  };
  const switched = async (tx: Transaction, name: string, before: CollectionConfig,
    after: CollectionConfig): Promise<void> =>
  {
    const encrypted = after.encrypted === true;
    if ((before.encrypted === true) === encrypted) return;
    await markSwitch(tx, name, encrypted);
    tx.onCommit(() => listeners.forEach((listener) => listener()));
  };
  const capabilities = { encryptionKey: keys !== undefined, bodies: bodies !== undefined, isNode };
  const configure = async (tx: Transaction, collection: string, changes: ConfigChanges,
    probed?: Placement): Promise<void> =>
  {
    const name = collection.toLowerCase();
    // The stored configuration is read here and not from memory, which may not contain an earlier write yet.
    const before = (await readConfig(tx, name, keys)) ?? {};
    const config = mergeConfig(before, changes);
    checkConfig(config, capabilities);
    await requireProviders(tx, before.vectors, config.vectors);
    if (!isSamePlace(before, config)) {
      if (config.storageBackend === 's3' && (probed === undefined || !isSamePlace(probed, config)))
        throw new Unprobed();
      await bodies?.remember(tx, name, config);
    }
    await writeConfig(tx, name, config, { clock, keys });
    await feed.append(tx, [{ kind: 'config.put', collection: name }, ...declared(name, before, config)]);
    tx.onCommit(() => cache.set(name, config));
    await switched(tx, name, before, config);
    await spacesChanged(tx, name, before, config);
  };
  const remove = async (tx: Transaction, name: string): Promise<void> => {
    const before = (await readConfig(tx, name, keys)) ?? {};
    if (!(await removeConfig(tx, name))) return;
    await feed.append(tx, [{ kind: 'config.delete', collection: name }, ...declared(name, before, {})]);
    tx.onCommit(() => cache.set(name, undefined));
    await switched(tx, name, before, {});
    await spacesChanged(tx, name, before, {});
  };

  // In a transaction, so that no write can commit between reading and replacing.
  const load = (): Promise<void> =>
    sql.transaction(async (tx) => {
      const configs = await readConfigs(tx, keys);
      tx.onCommit(() => {
        cache.replace(configs);
        prepareSpaces();
      });
    });

  /**
   * Tests the place that the changes name, and whether vectors are stored in changed fields, before the transaction: a
   * request to a bucket may take time, and so may looking through documents.
   */
  const probe = async (collection: string, changes: ConfigChanges): Promise<Placement> => {
    const before = cache.get(collection) ?? {};
    const config = mergeConfig(before, changes);
    checkConfig(config, capabilities);
    if (!isSamePlace(before, config)) await bodies?.probe(config);
    await requireUnusedFields(sql, collection, before.vectors, config.vectors);
    return config;
  };

  const handlers: CollectionHandlers = {
    async getCollectionConfig({ collection }) {
      const config = cache.get(collection);
      return { collection, config: presentConfig(collection, config ?? {}), configured: config !== undefined };
    },
    async setCollectionConfig({ collection, ...changes }, context) {
      for (;;) {
        const probed = await probe(collection, changes);
        try {
          await transactFor(sql, context, (tx) => configure(tx, collection, changes, probed));
          await prepared;
          return { status: 'ok', collection };
        } catch (error) {
          // Another write came in between, and the merged result of both names a place that was not tested.
          if (!(error instanceof Unprobed)) throw error;
        }
      }
    },
    async deleteCollectionConfig({ collection }, context) {
      await transactFor(sql, context, (tx) => remove(tx, collection.toLowerCase()));
      return { status: 'deleted', collection };
    },
    async listCollectionConfigs(_input, { identity }) {
      const visible = cache.list().filter(([collection]) => identity.may('read', collection));
      const configs = visible.map(([collection, config]) => ({
        collection,
        config: presentConfig(collection, config),
      }));
      return { configs, total: configs.length };
    },
  };
  return {
    handlers,
    configure,
    configOf: (collection) => cache.get(collection),
    load,
    configs: () => cache.all(),
    onEncryptionSwitched: (listener) => void listeners.push(listener),
    onSpacesChanged: (listener) => void spaceListeners.push(listener),
  };
}

/** The change that rebuilds the index of a collection's vectors, if its fields differ. */
function declared(collection: string, before: CollectionConfig, after: CollectionConfig): NewChange[] {
  return isDeepStrictEqual(before.vectors ?? {}, after.vectors ?? {}) ? [] : [{ kind: 'vectors.declare', collection }];
}

/** The place of bodies was not tested yet. */
class Unprobed extends Error {}

/** Whether bodies go to the same place, with the same credentials. */
function isSamePlace(a: Placement, b: Placement): boolean {
  const placeOf = (
    { storageBackend = 'boltdb', storageConfig }: Placement,
  ): unknown[] => (storageBackend === 's3' ? [storageBackend, storageConfig] : [storageBackend]);
  return isDeepStrictEqual(placeOf(a), placeOf(b));
}

/** Unfinished work for a collection whose encryption was switched. */
export interface PendingSwitch {
  /** Lowercased name. */
  readonly collection: string;
  /**
   * `seal` or `open`: encrypt or decrypt the values that were stored before. `reseal`: continue to encrypt after some
   * values were encrypted. Then `scrub`: remove from the file what that has left.
   */
  readonly step: 'seal' | 'reseal' | 'open' | 'scrub';
}

/** Stores the work in the transaction that switches, so that it survives a crash. */
async function markSwitch(tx: Transaction, collection: string, encrypted: boolean): Promise<void> {
  const step: PendingSwitch['step'] = encrypted ? 'seal' : 'open';
  await tx.run('INSERT INTO settings(name, value) VALUES (?, ?) ON CONFLICT(name) DO UPDATE SET value = excluded.value',
    [PREFIX + collection, step]);
}

/** The unfinished switches, by name of the collection. */
export async function readSwitches(queries: Queries): Promise<PendingSwitch[]> {
  const rows = await queries.all<{ name: string; value: string }>(
    'SELECT name, value FROM settings WHERE name >= ? AND name < ? ORDER BY name',
    [PREFIX, `${PREFIX.slice(0, -1)};`],
  );
  return rows.map(({ name, value }) => ({
    collection: name.slice(PREFIX.length),
    step: value as PendingSwitch['step'],
  }));
}

/** Records that a step is done, and the next step, unless another switch happened meanwhile. */
export async function endSwitch(tx: Transaction, { collection, step }: PendingSwitch,
  next?: PendingSwitch['step']): Promise<void>
{
  const name = PREFIX + collection;
  if (next === undefined) await tx.run('DELETE FROM settings WHERE name = ? AND value = ?', [name, step]);
  else await tx.run('UPDATE settings SET value = ? WHERE name = ? AND value = ?', [next, name, step]);
}
