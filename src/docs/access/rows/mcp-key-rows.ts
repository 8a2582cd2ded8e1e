import type { Queries, Row, Transaction } from '../../../storage/index.ts';

export interface StoredMcpKey {
  /** SHA-256 of the key, as hexadecimal digits. */
  readonly hash: string;
  readonly name: string;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Unix seconds; 0 means never. */
  readonly expiresAt: number;
  readonly disabled: boolean;
}

interface KeyRow extends Row {
  readonly hash: string;
  readonly name: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly disabled: number;
}

const SELECT = 'SELECT hash, name, created_at, expires_at, disabled FROM mcp_keys';

export async function readMcpKey(queries: Queries, hash: string): Promise<StoredMcpKey | undefined> {
  const row = await queries.get<KeyRow>(`${SELECT} WHERE hash = ?`, [hash]);
  return row && toKey(row);
}

/** Oldest first, disabled ones included. */
export async function listMcpKeys(queries: Queries): Promise<StoredMcpKey[]> {
  return (await queries.all<KeyRow>(`${SELECT} ORDER BY seq`)).map(toKey);
}

export async function insertMcpKey(tx: Transaction, { hash, name, createdAt, expiresAt }: StoredMcpKey): Promise<void> {
  await tx.run('INSERT INTO mcp_keys(hash, name, created_at, expires_at) VALUES (?, ?, ?, ?)', [hash, name, createdAt,
    expiresAt]);
}

/** Returns whether the key existed. */
export async function removeMcpKey(tx: Transaction, hash: string): Promise<boolean> {
  return (await tx.run('DELETE FROM mcp_keys WHERE hash = ?', [hash])).changes > 0;
}

/** Returns whether the key exists. */
export async function disableMcpKey(tx: Transaction, hash: string): Promise<boolean> {
  return (await tx.run('UPDATE mcp_keys SET disabled = 1 WHERE hash = ?', [hash])).changes > 0;
}

function toKey(row: KeyRow): StoredMcpKey {
  return {
    hash: row.hash,
    name: row.name,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    disabled: row.disabled === 1,
  };
}
