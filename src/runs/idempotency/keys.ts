import { createHash } from 'node:crypto';
import { ServiceError } from '../../errors/index.ts';
import type { Queries, Row, Sql, Transaction } from '../../storage/index.ts';

/**
 * JSON text that is equal exactly for equal JSON values: keys of objects are sorted, so formatting and the order of
 * fields make no difference. Undefined fields are left out.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`;
}

/** The request of a key (decisions, section 2.4): endpoint, run of a retry, and the body with its defaults. */
export function requestHash(endpoint: string, request: object): Buffer {
  return createHash('sha256').update(canonicalJson([endpoint, request])).digest();
}

/** Keys are stored as hashes, because only their clients may know them. */
export function keyHash(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

export interface NamedKey {
  /**
   * Who the key belongs to (decisions, section 2.4): the caller, as `actorOf` names it, or `schedule` or `alert` for
   * keys of the service itself. Owners see nothing of each other's keys.
   */
  readonly space: string;
  readonly key: string;
}

/** The request that the key was used for. */
export interface KnownKey {
  readonly requestHash: Uint8Array;
  readonly runId: string;
  /** Unix seconds. */
  readonly expiresAt: number;
}

interface KeyRow extends Row {
  readonly request_hash: Uint8Array;
  readonly run_id: string;
  readonly expires_at: number;
}

export async function findKey(queries: Queries, { space, key }: NamedKey): Promise<KnownKey | undefined> {
  const row = await queries.get<KeyRow>(
    'SELECT request_hash, run_id, expires_at FROM idempotency WHERE space = ? AND key_hash = ?',
    [space, keyHash(key)],
  );
  return row && { requestHash: row.request_hash, runId: row.run_id, expiresAt: row.expires_at };
}

/** Returns false if another request has taken the key meanwhile: the unique index decides. */
export async function takeKey(tx: Transaction, { space, key }: NamedKey,
  { requestHash, runId, expiresAt }: KnownKey): Promise<boolean>
{
  const { changes } = await tx.run(
    'INSERT INTO idempotency(space, key_hash, request_hash, run_id, expires_at) VALUES (?, ?, ?, ?, ?) ON ' +
      'CONFLICT DO NOTHING',
    [space, keyHash(key), requestHash, runId, expiresAt],
  );
  return changes === 1;
}

/** Deletes a key that still belongs to this run. */
export async function forgetKey(tx: Transaction, { space, key }: NamedKey, runId: string): Promise<void> {
  await tx.run('DELETE FROM idempotency WHERE space = ? AND key_hash = ? AND run_id = ?', [space, keyHash(key), runId]);
}

/** Rows that one step of the pruning reads: a few milliseconds. */
const BATCH = 100;

interface ExpiredRow extends Row {
  readonly space: string;
  readonly key_hash: Uint8Array;
  readonly run_id: string;
}

/**
 * Deletes up to 100 expired keys; keys of runs for which `isUnfinished` returns true are kept until `later` (times in
 * Unix seconds). Returns true if there may be more.
 */
export async function pruneKeys(sql: Pick<Sql, 'all' | 'transaction'>, now: number, later: number,
  isUnfinished: (runId: string) => Promise<boolean>): Promise<boolean>
{
  const expired = await sql.all<ExpiredRow>(
    'SELECT space, key_hash, run_id FROM idempotency WHERE expires_at <= ? ORDER BY expires_at LIMIT ?',
    [now, BATCH],
  );
  if (expired.length === 0) return false;
  const unfinished = new Set<ExpiredRow>();
  for (const row of expired) if (await isUnfinished(row.run_id)) unfinished.add(row);
  const key = (row: ExpiredRow) => [row.space, row.key_hash, row.run_id];
  await sql.transaction(async (tx) => {
    await tx.runMany('DELETE FROM idempotency WHERE space = ? AND key_hash = ? AND run_id = ?',
      expired.filter((row) => !unfinished.has(row)).map(key));
    await tx.runMany('UPDATE idempotency SET expires_at = ? WHERE space = ? AND key_hash = ? AND run_id = ?',
      [...unfinished].map((row) => [later, ...key(row)]));
  });
  return expired.length === BATCH;
}

/** 8 to 128 printable ASCII characters (decisions, section 2.4). */
const FORM = /^[ -~]{8,128}$/;
const LENGTH = '8 to 128 printable ASCII characters';

/** Throws `idempotency_key_required` if the header is absent or empty, and `invalid_input` if it is malformed. */
export function requireKey(key: unknown): void {
  if (key === undefined || key === '')
    throw new ServiceError('idempotency_key_required',
      `missing header Idempotency-Key; send a name for this request of ${LENGTH}`);
  if (typeof key === 'string' && FORM.test(key)) return;
  const got = typeof key === 'string' && (key.length < 8 || key.length > 128) ? `got ${key.length}` : 'got others';
  throw new ServiceError('invalid_input', `Idempotency-Key must have ${LENGTH}, ${got}`);
}
