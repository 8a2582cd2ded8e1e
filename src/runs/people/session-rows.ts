import { createHash, randomBytes } from 'node:crypto';
import type { Queries, Row, Transaction } from '../../storage/index.ts';

/** A person who has signed in, as the issuer has described them. */
export interface SessionPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly groups: readonly string[];
}

interface SessionRow extends Row {
  readonly subject: string;
  readonly name: string;
  readonly groups: string;
  readonly expires_ms: number;
}

/** What tokens of sessions begin with, so that others need no look into the store. */
const PREFIX = 'qs1.';
const FORM = /^qs1\.[A-Za-z0-9_-]{43}$/;

/** Most sessions of one person; further ones end the oldest. */
const MOST = 20;

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

export const isSessionToken = (credential: string): boolean => FORM.test(credential);

/** Begins a session, and returns its token, of which only the hash is stored. */
export async function beginSession(tx: Transaction, { issuer, subject, name, groups }: SessionPerson,
  { now, expiresMs }: { readonly now: number; readonly expiresMs: number }): Promise<string>
{
  const token = `${PREFIX}${randomBytes(32).toString('base64url')}`;
  await tx.run('DELETE FROM sessions WHERE expires_ms <= ?', [now]);
  await tx.run(`DELETE FROM sessions WHERE issuer = ? AND subject = ? AND token_hash NOT IN (
       SELECT token_hash FROM sessions WHERE issuer = ? AND subject = ? ORDER BY created_ms DESC, token_hash LIMIT ?)`,
    [issuer, subject, issuer, subject, MOST - 1]);
  await tx.run(
    'INSERT INTO sessions(token_hash, issuer, subject, name, groups, created_ms, expires_ms) VALUES (?, ?, ?, ?, ?, ?, ?)',
    [hashOf(token), issuer, subject, name, JSON.stringify(groups), now, expiresMs],
  );
  return token;
}

/** The session of a token that began at this issuer; undefined if it has ended. */
export async function readSession(sql: Pick<Queries, 'get'>, token: string, { issuer, now }: {
  readonly issuer: string;
  readonly now: number;
}): Promise<(SessionPerson & { readonly expiresMs: number }) | undefined> {
  const row = await sql.get<SessionRow>(
    'SELECT subject, name, groups, expires_ms FROM sessions WHERE token_hash = ? AND issuer = ? AND expires_ms > ?',
    [hashOf(token), issuer, now],
  );
  if (row === undefined) return undefined;
  const { subject, name, groups, expires_ms: expiresMs } = row;
  return { issuer, subject, name, groups: JSON.parse(groups) as string[], expiresMs };
}

export async function endSession(tx: Transaction, token: string): Promise<void> {
  await tx.run('DELETE FROM sessions WHERE token_hash = ?', [hashOf(token)]);
}
