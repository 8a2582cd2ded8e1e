import type { Queries, Transaction } from '../../../storage/index.ts';

/**
 * Prefix of the names under which ended sessions are stored among the settings of the database; the value is when their
 * tokens expire.
 */
const PREFIX = 'ended_session:';

/** The first name after all of them. */
const AFTER = `${PREFIX.slice(0, -1)};`;

export async function isEnded(queries: Queries, id: string): Promise<boolean> {
  return (await queries.get('SELECT 1 AS found FROM settings WHERE name = ?', [PREFIX + id])) !== undefined;
}

/**
 * Also removes sessions whose tokens have expired. Times are Unix seconds, which have ten digits, so they sort as text.
 */
export async function endSession(tx: Transaction, id: string, expiresAt: number, now: number): Promise<void> {
  await tx.run('DELETE FROM settings WHERE name >= ? AND name < ? AND value < ?', [PREFIX, AFTER, String(now)]);
  await tx.run('INSERT INTO settings(name, value) VALUES (?, ?) ON CONFLICT(name) DO NOTHING', [PREFIX + id,
    String(expiresAt)]);
}
