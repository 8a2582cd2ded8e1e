import type { Queries, Transaction } from '../../storage/index.ts';

/** A certificate that was issued to a ship. */
export interface StoredCertificate {
  /** Upper-case hexadecimal. */
  readonly serial: string;
  readonly shipId: string;
  readonly expiresMs: number;
}

/** The ship of this certificate; undefined if it was never issued, or if the ship is removed. */
export async function readHolder(queries: Queries,
  serial: string): Promise<{ shipId: string; expiresMs: number; isRevoked: boolean } | undefined>
{
  const row = await queries.get<{ ship_id: string; expires_ms: number; revoked_ms: number }>(
    'SELECT c.ship_id, c.expires_ms, s.revoked_ms FROM ship_certs c JOIN ships s ON s.id = c.ship_id WHERE ' +
      'c.serial = ?',
    [serial],
  );
  return row && { shipId: row.ship_id, expiresMs: row.expires_ms, isRevoked: row.revoked_ms > 0 };
}

/** Stores it, and updates the expiry of the latest certificate in the ship's row. */
export async function insertCertificate(tx: Transaction,
  { serial, shipId, expiresMs }: StoredCertificate): Promise<void>
{
  await tx.run('INSERT INTO ship_certs(serial, ship_id, expires_ms) VALUES (?, ?, ?)', [serial, shipId, expiresMs]);
  await tx.run('UPDATE ships SET cert_expires_ms = ? WHERE id = ?', [expiresMs, shipId]);
}

export async function countCertificates(queries: Queries, shipId: string, nowMs: number): Promise<number> {
  return (await queries.get<{ n: number }>('SELECT count(*) AS n FROM ship_certs WHERE ship_id = ? AND expires_ms > ?',
    [shipId, nowMs]))!.n;
}

/** Whether there are certificates or join tokens that expired before this time. */
export async function hasExpired(queries: Queries, certificatesMs: number, tokensMs: number): Promise<boolean> {
  const found = await queries.get(
    'SELECT 1 AS found FROM ship_certs WHERE expires_ms < ? UNION ALL SELECT 1 FROM join_tokens WHERE expires_ms ' +
      '< ? LIMIT 1',
    [certificatesMs, tokensMs],
  );
  return found !== undefined;
}

/** Deletes at most this many certificates that expired before this time. */
export async function removeExpiredCertificates(tx: Transaction, beforeMs: number, most: number): Promise<void> {
  await tx.run(
    'DELETE FROM ship_certs WHERE serial IN (SELECT serial FROM ship_certs WHERE expires_ms < ? ORDER BY ' +
      'expires_ms LIMIT ?)',
    [beforeMs, most],
  );
}
