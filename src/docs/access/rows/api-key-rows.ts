import type { Queries, Row, Transaction } from '../../../storage/index.ts';

export interface StoredKey {
  /** SHA-256 of the key, as hexadecimal digits. */
  readonly hash: string;
  readonly username: string;
  readonly description: string;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Unix seconds; 0: never. */
  readonly expiresAt: number;
  /** Unix seconds; 0: not yet. */
  readonly lastUsedAt: number;
}

interface KeyRow extends Row {
  readonly hash: string;
  readonly username: string;
  readonly description: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly last_used_at: number;
}

const SELECT = 'SELECT hash, username, description, created_at, expires_at, last_used_at FROM api_keys';

export async function readKey(queries: Queries, hash: string): Promise<StoredKey | undefined> {
  const row = await queries.get<KeyRow>(`${SELECT} WHERE hash = ?`, [hash]);
  return row && toKey(row);
}

/** Oldest first. */
export async function listKeys(queries: Queries, username: string): Promise<StoredKey[]> {
  return (await queries.all<KeyRow>(`${SELECT} WHERE username = ? ORDER BY seq`, [username])).map(toKey);
}

export async function insertKey(tx: Transaction, { hash, username, description, createdAt, expiresAt }: StoredKey): Promise<void> {
  await tx.run('INSERT INTO api_keys(hash, username, description, created_at, expires_at) VALUES (?, ?, ?, ?, ?)', [hash, username, description, createdAt, expiresAt]);
}

export async function removeKey(tx: Transaction, hash: string): Promise<void> {
  await tx.run('DELETE FROM api_keys WHERE hash = ?', [hash]);
}

/** Never back in time, should two notes of one key come in the wrong order. */
export async function writeUses(tx: Transaction, uses: Iterable<readonly [hash: string, at: number]>): Promise<void> {
  await tx.runMany('UPDATE api_keys SET last_used_at = ? WHERE hash = ? AND last_used_at < ?', [...uses].map(([hash, at]) => [at, hash, at]));
}

function toKey(row: KeyRow): StoredKey {
  return {
    hash: row.hash, username: row.username, description: row.description,
    createdAt: row.created_at, expiresAt: row.expires_at, lastUsedAt: row.last_used_at,
  };
}
