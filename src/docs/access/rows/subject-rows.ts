import type { Queries, Transaction } from '../../../storage/index.ts';

/** An account at an OpenID Connect issuer. */
export interface Subject {
  readonly issuer: string;
  readonly subject: string;
}

/** The user who signs in with an account; undefined if there is none. */
export async function readSubject(queries: Queries, { issuer, subject }: Subject): Promise<string | undefined> {
  return (await queries.get<{ username: string }>('SELECT username FROM oidc_subjects WHERE issuer = ? AND subject = ?',
    [issuer, subject]))?.username;
}

/** Replaces an earlier account of the user; an empty subject only removes it. */
export async function writeSubject(tx: Transaction, username: string, { issuer, subject }: Subject): Promise<void> {
  await tx.run('DELETE FROM oidc_subjects WHERE username = ?', [username]);
  if (subject !== '')
    await tx.run('INSERT INTO oidc_subjects(issuer, subject, username) VALUES (?, ?, ?)', [issuer, subject, username]);
}
