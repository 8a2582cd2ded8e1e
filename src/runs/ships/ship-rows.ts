import { arch, platform } from 'node:process';
import { inList, type Queries, type Row, type Transaction } from '../../storage/index.ts';
import type { RunKind } from '../queue/port.ts';

/** What a ship reports about itself at each connection. */
export interface ShipTraits {
  readonly version: string;
  readonly kinds: readonly RunKind[];
  /** Names of variables with keys of AI roles that are set there. */
  readonly keyVariables: readonly string[];
  readonly capacity: number;
  readonly ephemeral: boolean;
}

/** A stored ship. Times are in milliseconds since 1970; 0: not yet. */
export interface StoredShip extends ShipTraits {
  readonly id: string;
  readonly name: string;
  /** The labels of its token. */
  readonly labels: readonly string[];
  readonly os: string;
  readonly arch: string;
  /** Null for a ship that takes runs; otherwise the session that was told to drain, or empty if none was connected. */
  readonly drainSession: string | null;
  readonly joinedMs: number;
  readonly lastSeenMs: number;
  readonly certExpiresMs: number;
  readonly revokedMs: number;
}

interface ShipRow extends Row {
  id: string;
  name: string;
  labels: string;
  os: string;
  arch: string;
  version: string;
  kinds: string;
  key_variables: string;
  capacity: number;
  ephemeral: number;
  drain_session: string | null;
  joined_ms: number;
  last_seen_ms: number;
  cert_expires_ms: number;
  revoked_ms: number;
}

const SELECT = `SELECT id, name, labels, os, arch, version, kinds, key_variables, capacity, ephemeral,
  drain_session, joined_ms, last_seen_ms, cert_expires_ms, revoked_ms FROM ships`;

export async function readShip(queries: Queries, id: string): Promise<StoredShip | undefined> {
  const row = await queries.get<ShipRow>(`${SELECT} WHERE id = ?`, [id]);
  return row && toShip(row);
}

/** In the order of joining. */
export async function listShips(queries: Queries): Promise<StoredShip[]> {
  return (await queries.all<ShipRow>(`${SELECT} ORDER BY joined_ms, id`)).map(toShip);
}

export async function isNameOfLiveShip(queries: Queries, name: string): Promise<boolean> {
  return (await queries.get('SELECT 1 AS found FROM ships WHERE live_name = ?', [name])) !== undefined;
}

export async function insertShip(tx: Transaction, ship: StoredShip): Promise<void> {
  await tx.run(
    `INSERT INTO ships(id, name, live_name, labels, os, arch, version, kinds, key_variables, capacity, ephemeral, joined_ms, cert_expires_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [ship.id, ship.name, ship.name, JSON.stringify(ship.labels), ship.os, ship.arch, ship.version,
      JSON.stringify(ship.kinds), JSON.stringify(ship.keyVariables), ship.capacity, Number(ship.ephemeral),
      ship.joinedMs, ship.certExpiresMs],
  );
}

export async function writeTraits(tx: Transaction, id: string,
  { version, kinds, keyVariables, capacity, ephemeral }: ShipTraits): Promise<void>
{
  await tx.run('UPDATE ships SET version = ?, kinds = ?, key_variables = ?, capacity = ?, ephemeral = ? WHERE id = ?', [
    version,
    JSON.stringify(kinds),
    JSON.stringify(keyVariables),
    capacity,
    Number(ephemeral),
    id,
  ]);
}

export async function writeDrain(tx: Transaction, id: string, session: string | null): Promise<void> {
  await tx.run('UPDATE ships SET drain_session = ? WHERE id = ?', [session, id]);
}

/** Never moves the time back. */
export async function writeLastSeen(tx: Transaction, seen: Iterable<readonly [id: string, ms: number]>): Promise<void> {
  await tx.runMany('UPDATE ships SET last_seen_ms = ? WHERE id = ? AND last_seen_ms < ?',
    [...seen].map(([id, ms]) => [ms, id, ms]));
}

/** False if there is no such ship or it is already revoked. */
export async function markRevoked(tx: Transaction, id: string, nowMs: number): Promise<boolean> {
  const { changes } = await tx.run('UPDATE ships SET revoked_ms = ?, live_name = NULL WHERE id = ? AND revoked_ms = 0',
    [nowMs, id]);
  return changes > 0;
}

/** Removes a ship with its certificates. */
export async function removeShip(tx: Transaction, id: string): Promise<void> {
  await tx.run('DELETE FROM ship_certs WHERE ship_id = ?', [id]);
  await tx.run('DELETE FROM ships WHERE id = ?', [id]);
}

/** Returns which of these ships are no longer members: revoked, or removed and so unknown. */
export async function listGone(queries: Queries,
  ids: readonly string[]): Promise<{ id: string; how: 'revoked' | 'unknown' }[]>
{
  if (ids.length === 0) return [];
  const { marks, params } = inList(ids);
  const found = await queries.all<{ id: string; revoked_ms: number }>(
    `SELECT id, revoked_ms FROM ships WHERE id IN (${marks})`,
    params,
  );
  const revokedMs = new Map(found.map((row) => [row.id, row.revoked_ms]));
  return ids.flatMap((id) => {
    const revoked = revokedMs.get(id);
    return revoked === 0 ? [] : [{ id, how: revoked === undefined ? 'unknown' as const : 'revoked' as const }];
  });
}

function toShip(row: ShipRow): StoredShip {
  return {
    id: row.id,
    name: row.name,
    os: row.os,
    arch: row.arch,
    version: row.version,
    capacity: row.capacity,
    labels: JSON.parse(row.labels) as string[],
    kinds: JSON.parse(row.kinds) as RunKind[],
    keyVariables: JSON.parse(row.key_variables) as string[],
    ephemeral: row.ephemeral === 1,
    drainSession: row.drain_session,
    joinedMs: row.joined_ms,
    lastSeenMs: row.last_seen_ms,
    certExpiresMs: row.cert_expires_ms,
    revokedMs: row.revoked_ms,
  };
}

/** Only a ship in the server's own process has this name. */
export const LOCAL_NAME = 'local';

/** Operating system and architecture under the names that labels use. */
function ownPlatform(): { os: string; arch: string } {
  return { os: platform === 'win32' ? 'windows' : platform, arch: arch === 'x64' ? 'amd64' : arch };
}

/** All labels of a ship: the labels that the server adds, and those of its token. */
export function labelsOf({ os, arch, name, labels }: Pick<StoredShip, 'os' | 'arch' | 'name' | 'labels'>): string[] {
  return [`os=${os}`, `arch=${arch}`, `ship=${name}`, ...labels];
}

/** The labels of the ship in this process, which are configured. */
export function localLabels(labels: readonly string[]): string[] {
  return labelsOf({ ...ownPlatform(), name: LOCAL_NAME, labels });
}

/** A certificate that was issued to a ship. */
interface StoredCertificate {
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
