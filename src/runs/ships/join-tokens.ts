import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Queries, Transaction } from '../../storage/index.ts';

/** A stored token: only the hash of its text. */
export interface StoredToken {
  readonly id: string;
  readonly hash: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly expiresMs: number;
}

const FORM = /^qj1\.[A-Za-z0-9_-]{43}\.([0-9a-f]{32})\.[A-Za-z0-9_-]{43}$/;

/**
 * `qj1.<SHA-256 of the root>.<id>.<32 random bytes>`: the ship identifies the server by the first part, the server the
 * ship by the rest.
 */
export function newToken(fingerprint: Buffer, id: string): string {
  return `qj1.${fingerprint.toString('base64url')}.${id}.${randomBytes(32).toString('base64url')}`;
}

/** The id in a token; undefined for a text of another form. */
export function idOfToken(token: string): string | undefined {
  return FORM.exec(token)?.[1];
}

export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export function isOfToken(stored: StoredToken, token: string): boolean {
  return timingSafeEqual(Buffer.from(stored.hash, 'hex'), createHash('sha256').update(token).digest());
}

/** Undefined if it was never made, was used, or expired some time ago. */
export async function readToken(queries: Queries, id: string): Promise<StoredToken | undefined> {
  const row = await queries.get<{ id: string; hash: string; name: string; labels: string; expires_ms: number }>(
    'SELECT id, hash, name, labels, expires_ms FROM join_tokens WHERE id = ?',
    [id],
  );
  return row && {
    id: row.id,
    hash: row.hash,
    name: row.name,
    labels: JSON.parse(row.labels) as string[],
    expiresMs: row.expires_ms,
  };
}

/**
 * If an open token has its name, returns when that one expires, in milliseconds since 1970. An expired one of that name
 * is replaced.
 */
export async function insertToken(tx: Transaction, token: StoredToken, nowMs: number): Promise<number | undefined> {
  await tx.run('DELETE FROM join_tokens WHERE name = ? AND expires_ms <= ?', [token.name, nowMs]);
  const { changes } = await tx.run(
    'INSERT INTO join_tokens(id, hash, name, labels, expires_ms) VALUES (?, ?, ?, ?, ?) ON CONFLICT(name) DO NOTHING',
    [token.id, token.hash, token.name, JSON.stringify(token.labels), token.expiresMs],
  );
  if (changes > 0) return undefined;
  return (await tx.get<{ expires_ms: number }>('SELECT expires_ms FROM join_tokens WHERE name = ?', [token.name]))
    ?.expires_ms ?? nowMs;
}

/** Uses a token up. False if it is already used or has expired. */
export async function consumeToken(tx: Transaction, id: string, nowMs: number): Promise<boolean> {
  return (await tx.run('DELETE FROM join_tokens WHERE id = ? AND expires_ms > ?', [id, nowMs])).changes > 0;
}

/** Deletes the tokens that expired before this time. */
export async function removeExpiredTokens(tx: Transaction, beforeMs: number): Promise<void> {
  await tx.run('DELETE FROM join_tokens WHERE expires_ms < ?', [beforeMs]);
}
