import type { Queries, Transaction } from '../../../storage/index.ts';

/** An account of an issuer of OpenID Connect. */
export interface Subject {
  readonly issuer: string;
  readonly subject: string;
}

/** The user who signs in with an account; undefined where nobody does. */
export async function readSubject(queries: Queries, { issuer, subject }: Subject): Promise<string | undefined> {
  return (await queries.get<{ username: string }>('SELECT username FROM oidc_subjects WHERE issuer = ? AND subject = ?', [issuer, subject]))?.username;
}

/** In the place of an earlier one of the user; an empty subject leaves none. */
export async function writeSubject(tx: Transaction, username: string, { issuer, subject }: Subject): Promise<void> {
  await tx.run('DELETE FROM oidc_subjects WHERE username = ?', [username]);
  if (subject !== '') await tx.run('INSERT INTO oidc_subjects(issuer, subject, username) VALUES (?, ?, ?)', [issuer, subject, username]);
}
