import type { Operations } from '../../../generated/docs/operations.ts';
import type { CollectionEncryption, EncryptionStatus } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { systemTimer, type Timer } from '../../lib/clock.ts';
import { ConfigError } from '../../lib/setting-values.ts';
import { isSystemCollection } from '../../lib/system-collection.ts';
import type { Handlers } from '../../operations/index.ts';
import { countKeys, type KeyRing, type Queries, type Sql, type Transaction } from '../../storage/index.ts';
import type { Collections } from '../collections/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { listCollections } from '../stored-collections.ts';
import { readJob, readJobs, readOpenJob, Rotation } from './rotation.ts';
import { Switches } from './switches.ts';

type EncryptionHandlers = Required<
  Pick<Handlers<Operations>, 'getEncryptionStatus' | 'rotateEncryption' | 'listEncryptionJobs' | 'getEncryptionJob'>
>;

/** The operations of encryption at rest: its state, rotation, and the work after a switch. */
export interface Encryption {
  readonly handlers: EncryptionHandlers;
  /**
   * Throws `ConfigError` when the database needs a key that the server does not have, or knows another key under its
   * number.
   */
  load(): Promise<void>;
  /** Another process has switched the encryption of a collection, and does the work of that itself. */
  reload(): Promise<void>;
  /** Starts the background work, which writes: not for read-only servers. */
  work(): Promise<void>;
  /** Begins work that other nodes have requested; does nothing before `work`. */
  wake(): Promise<void>;
  /** Waits for running work; harmless when repeated. */
  stop(): Promise<void>;
  /** Resolves when no work is running. */
  settled(): Promise<void>;
}

interface EncryptionAreas {
  readonly collections: Pick<Collections, 'configOf' | 'configs' | 'onEncryptionSwitched'>;
  readonly timer?: Timer;
  /** Removes what other tables quote of a collection that was encrypted. */
  readonly withhold?: (collection: string, signal: AbortSignal) => Promise<void>;
}

export function createEncryption(environment: DocsEnvironment,
  { collections, timer = systemTimer, withhold = async () => undefined }: EncryptionAreas): Encryption
{
  const { sql, feed, clock, log, keys, isNode } = environment;
  const rotation = keys && new Rotation({ sql, feed, clock, log, keys, isNode });
  const switches = keys && new Switches({ sql, feed, clock, log, keys, timer, withhold });
  let started = false;
  const check = async (): Promise<void> => {
    if (keys === undefined) return refuseWithoutKey(collections);
    const unknown = await checkKeys(sql, keys);
    if (!started) return;
    // Another database has replaced this one; its own background work may be unfinished.
    await sql.transaction((tx) => noteKeys(tx, keys, unknown));
    switches!.begin();
  };
  return {
    handlers: {
      getEncryptionStatus: async () =>
        encryptionStatus({ sql, collections, keys },
          rotation?.current?.id ?? (isNode === true ? (await readOpenJob(sql))?.id : undefined)),
      rotateEncryption: async ({ collection }) => {
        if (rotation === undefined) throw new ServiceError('invalid_argument', 'encryption is not configured');
        return rotation.rotate(collection.toLowerCase());
      },
      listEncryptionJobs: async () => ({ jobs: await readJobs(sql) }),
      getEncryptionJob: async ({ id }) => {
        const current = rotation?.current;
        const job = current?.id === id ? current : await readJob(sql, id);
        if (job === undefined) throw new ServiceError('not_found', 'not found');
        return job;
      },
    },
    load: check,
    reload: async () => undefined,
    async work() {
      if (keys === undefined || rotation === undefined || switches === undefined) return;
      const unknown = await checkKeys(sql, keys);
      if (unknown.length > 0) await sql.transaction((tx) => noteKeys(tx, keys, unknown));
      await rotation.recover();
      started = true;
      collections.onEncryptionSwitched(() => switches.start());
      switches.begin();
    },
    async wake() {
      if (!started) return;
      switches!.start();
      await rotation!.wake();
    },
    async stop() {
      await rotation?.stop();
      await switches?.stop();
    },
    async settled() {
      await switches?.settled();
      await rotation?.settled();
    },
  };
}

/** Such a server could neither read the stored values nor encrypt new ones. */
function refuseWithoutKey(collections: Pick<Collections, 'configs'>): void {
  const encrypted = [...collections.configs()].filter(([, config]) => config.encrypted === true).map(([name]) =>
    JSON.stringify(name)
  );
  if (encrypted.length === 0) return;
  const names = encrypted.slice(0, 5).join(', ') + (encrypted.length > 5 ? ` and ${encrypted.length - 5} more` : '');
  throw new ConfigError([`SVC_ENCRYPTION_KEY: required, since collections of this database are encrypted: ${names}`]);
}

interface StatusDeps {
  readonly sql: Sql;
  readonly collections: Pick<Collections, 'configOf' | 'configs'>;
  readonly keys: KeyRing | undefined;
}

/** Reads the whole database, outside of the event loop. */
async function encryptionStatus({ sql, collections, keys }: StatusDeps,
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
    currentJobID,
  };
}

function columnOf(keyId: number | undefined, keys: KeyRing | undefined): 'plaintext' | 'withPrimary' | 'withLegacy'
  | 'unknownKey'
{
  if (keyId === undefined) return 'plaintext';
  if (keyId === keys?.primaryId) return 'withPrimary';
  return keys?.has(keyId) === true ? 'withLegacy' : 'unknownKey';
}

const PREFIX = 'encryption_key:';

/** A fixed text that is encrypted with each key, so that the key can be recognized. */
const PROOF = Buffer.from('quire');

/** Binds a proof to the number of its key, which the record contains unencrypted. */
const boundTo = (keyId: number): string => `key\0${keyId}`;

/**
 * The keys of a key ring that this database does not know yet. Throws `ConfigError` if a key differs from the known one
 * with its number.
 */
async function checkKeys(queries: Queries, keys: KeyRing): Promise<number[]> {
  const rows = await queries.all<{ name: string; value: string }>(
    "SELECT name, value FROM settings WHERE name >= 'encryption_key:' AND name < 'encryption_key;'",
  );
  const proofs = new Map(rows.map(({ name, value }) => [Number(name.slice(PREFIX.length)), value]));
  const ids = [keys.primaryId, ...keys.previousIds];
  const wrong = ids.filter((id) => proofs.has(id) && !fits(keys, id, proofs.get(id)!));
  if (wrong.length > 0) throw new ConfigError(wrong.map((id) => wrongKey(id, id === keys.primaryId)));
  return ids.filter((id) => !proofs.has(id));
}

/** Stores a proof for each key. */
async function noteKeys(tx: Transaction, keys: KeyRing, ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    const proof = keys.seal(PROOF, boundTo(id), id).toString('base64');
    await tx.run('INSERT INTO settings(name, value) VALUES (?, ?) ON CONFLICT(name) DO NOTHING', [PREFIX + id, proof]);
  }
}

function fits(keys: KeyRing, id: number, proof: string): boolean {
  try {
    return keys.open(Buffer.from(proof, 'base64'), boundTo(id)).equals(PROOF);
  } catch {
    return false; // a key can be checked only by trying to decrypt with it
  }
}

function wrongKey(id: number, isPrimary: boolean): string {
  const name = isPrimary ? 'SVC_ENCRYPTION_KEY' : 'SVC_ENCRYPTION_PREVIOUS_KEYS';
  const hint = isPrimary
    ? '; a new key needs a new number (SVC_ENCRYPTION_KEY_ID), and the old one belongs into ' +
      'SVC_ENCRYPTION_PREVIOUS_KEYS'
    : '';
  return `${name}: key ${id} is not the one that this database knows as key ${id}${hint}`;
}
