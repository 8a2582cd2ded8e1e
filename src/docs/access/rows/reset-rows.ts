import type { Queries, Row, Transaction } from '../../../storage/index.ts';

/** A one-time token with which a user sets a new password. */
export interface StoredReset {
  readonly username: string;
  /** SHA-256 of the token, as hexadecimal digits. */
  readonly hash: string;
  /** Unix seconds. */
  readonly expiresAt: number;
}

interface ResetRow extends Row {
  readonly username: string;
  readonly hash: string;
  readonly expires_at: number;
}

export async function readReset(queries: Queries, hash: string): Promise<StoredReset | undefined> {
  const row = await queries.get<ResetRow>('SELECT username, hash, expires_at FROM password_resets WHERE hash = ?', [
    hash,
  ]);
  return row && { username: row.username, hash: row.hash, expiresAt: row.expires_at };
}

/** Replaces an earlier token of the user. */
export async function writeReset(tx: Transaction, { username, hash, expiresAt }: StoredReset): Promise<void> {
  await removeReset(tx, username);
  await tx.run('INSERT INTO password_resets(username, hash, expires_at) VALUES (?, ?, ?)', [username, hash, expiresAt]);
}

export async function removeReset(tx: Transaction, username: string): Promise<void> {
  await tx.run('DELETE FROM password_resets WHERE username = ?', [username]);
}
