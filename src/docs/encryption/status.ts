import type { CollectionEncryption, EncryptionStatus } from '../../../generated/docs/sdk/types.gen.ts';
import { isSystemCollection } from '../../lib/system-collection.ts';
import { countKeys, type KeyRing, type Sql } from '../../storage/index.ts';
import type { Collections } from '../collections/index.ts';
import { listCollections } from '../stored-collections.ts';

export interface StatusDeps {
  readonly sql: Sql;
  readonly collections: Pick<Collections, 'configOf' | 'configs'>;
  readonly keys: KeyRing | undefined;
}

/** Reads the whole database, outside of the event loop. */
export async function encryptionStatus({ sql, collections, keys }: StatusDeps,
  currentJobID: string | undefined): Promise<EncryptionStatus>
{
  const stored = await listCollections(sql);
  const names = new Map(stored.map(({ id, name }) => [id, name]));
  const counts = new Map<string, CollectionEncryption>();
  const entryOf = (name: string): CollectionEncryption => {
    const known = counts.get(name);
    if (known !== undefined) return known;
    const encrypted = collections.configOf(name)?.encrypted === true;
    const entry = { collection: name, encrypted, total: 0, withPrimary: 0, withLegacy: 0, plaintext: 0, unknownKey: 0 };
    counts.set(name, entry);
    return entry;
  };
  for (const name of names.values()) entryOf(name);
  for (const [name, { encrypted }] of collections.configs()) if (encrypted === true) entryOf(name);
  for (const { cid, keyId, values } of await countKeys(sql.background)) {
    const name = names.get(cid);
    if (name === undefined) continue; // it was inserted after the list was read
    const entry = entryOf(name);
    entry.total += values;
    entry[columnOf(keyId, keys)] += values;
  }
  return {
    enabled: keys !== undefined,
    primaryKeyID: keys?.primaryId ?? 0,
    previousKeyIDs: [...(keys?.previousIds ?? [])],
    // Collections of the system cannot be configured.
    collections: [...counts.values()].filter(({ collection }) => !isSystemCollection(collection)).sort((a,
      b) => (a.collection < b.collection ? -1 : 1)
    ),
    ...(currentJobID !== undefined && { currentJobID }),
  };
}

function columnOf(keyId: number | undefined, keys: KeyRing | undefined): 'plaintext' | 'withPrimary' | 'withLegacy'
  | 'unknownKey'
{
  if (keyId === undefined) return 'plaintext';
  if (keyId === keys?.primaryId) return 'withPrimary';
  return keys?.has(keyId) === true ? 'withLegacy' : 'unknownKey';
}
