import type { S3Settings } from '../../net/objects.ts';
import { type KeyRing, openSecret, type Queries, type Row, sealSecret, SECRETS,
  type Transaction } from '../../storage/index.ts';

/** Where bodies can be stored outside of the database. */
type StoreKind = 'memory' | 's3';

/** A place of a collection's bodies, a row of `body_stores`. */
export interface StoreRecord {
  readonly id: number;
  /** Lowercased. */
  readonly collection: string;
  readonly kind: StoreKind;
  /** Distinguishes places of one kind; empty in memory. */
  readonly target: string;
  /** Folder of its objects. */
  readonly token: string;
  readonly settings: S3Settings;
  /** Their keys are derived from it. */
  readonly secret: Uint8Array;
}

interface StoreRow extends Row {
  readonly id: number;
  readonly collection: string;
  readonly kind: string;
  readonly target: string;
  readonly token: string;
  readonly config: string;
}

const COLUMNS = 'id, collection, kind, target, token, config';

/** All places. Throws `internal` for one whose key is not configured. */
export async function readStores(queries: Queries, keys: KeyRing | undefined): Promise<StoreRecord[]> {
  return (await queries.all<StoreRow>(`SELECT ${COLUMNS} FROM body_stores ORDER BY id`)).map((row) =>
    toRecord(row, keys)
  );
}

export async function findStore(queries: Queries,
  { collection, kind, target }: Pick<StoreRecord, 'collection' | 'kind' | 'target'>,
  keys: KeyRing | undefined): Promise<StoreRecord | undefined>
{
  const row = await queries.get<StoreRow>(
    `SELECT ${COLUMNS} FROM body_stores WHERE collection = ? AND kind = ? AND target = ?`,
    [collection, kind, target],
  );
  return row && toRecord(row, keys);
}

export async function insertStore(tx: Transaction, store: Omit<StoreRecord, 'id'>,
  keys: KeyRing | undefined): Promise<StoreRecord>
{
  const { collection, kind, target, token } = store;
  await tx.run('INSERT INTO body_stores(collection, kind, target, token, config) VALUES (?, ?, ?, ?, ?)', [collection,
    kind, target, token, toConfig(store, keys)]);
  const row = await tx.get<{ id: number }>('SELECT id FROM body_stores WHERE token = ?', [token]);
  return { ...store, id: row!.id };
}

/** Writes the settings of a place again, under the current key of the server. */
export async function updateStore(tx: Transaction, store: StoreRecord, keys: KeyRing | undefined): Promise<void> {
  await tx.run('UPDATE body_stores SET config = ? WHERE id = ?', [toConfig(store, keys), store.id]);
}

export async function deleteStore(tx: Transaction, id: number): Promise<void> {
  await tx.run('DELETE FROM body_stores WHERE id = ?', [id]);
}

function toConfig({ token, settings, secret }: Omit<StoreRecord, 'id'>, keys: KeyRing | undefined): string {
  const text = JSON.stringify({ settings, secret: Buffer.from(secret).toString('base64') });
  return sealSecret(keys, SECRETS.bodyStore, token, text);
}

function toRecord({ id, collection, kind, target, token, config }: StoreRow, keys: KeyRing | undefined): StoreRecord {
  const { settings, secret } = JSON.parse(openSecret(keys, SECRETS.bodyStore, token, config)) as { settings: S3Settings;
    secret: string };
  return { id, collection, kind: kind as StoreKind, target, token, settings, secret: Buffer.from(secret, 'base64') };
}
