import { type Clock, isRecent, unixSeconds } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Queries, Row, Sql, Transaction } from '../../../storage/index.ts';
import type { KeyScope } from '../scope.ts';

export interface StoredKey extends KeyScope {
  /** SHA-256 of the key, as hexadecimal digits. */
  readonly hash: string;
  readonly username: string;
  readonly description: string;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Unix seconds; 0 means never. */
  readonly expiresAt: number;
  /** Unix seconds; 0 means not yet. */
  readonly lastUsedAt: number;
  /** Unix seconds; 0 means that the key is not revoked. */
  readonly revokedAt: number;
}

interface KeyRow extends Row {
  readonly hash: string;
  readonly username: string;
  readonly description: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly last_used_at: number;
  readonly revoked_at: number;
  /** JSON, or empty. */
  readonly collections: string;
  readonly operations: string;
}

const SELECT =
  'SELECT hash, username, description, created_at, expires_at, last_used_at, revoked_at, collections, operations ' +
  'FROM api_keys';

export async function readKey(queries: Queries, hash: string): Promise<StoredKey | undefined> {
  const row = await queries.get<KeyRow>(`${SELECT} WHERE hash = ?`, [hash]);
  return row && toKey(row);
}

/** The keys of a user or, without one, of all users; oldest first. */
export async function listKeys(queries: Queries, username?: string): Promise<StoredKey[]> {
  const rows = username === undefined
    ? queries.all<KeyRow>(`${SELECT} ORDER BY seq`)
    : queries.all<KeyRow>(`${SELECT} WHERE username = ? ORDER BY seq`, [username]);
  return (await rows).map(toKey);
}

export async function insertKey(tx: Transaction,
  { hash, username, description, createdAt, expiresAt, collections, operations }: StoredKey): Promise<void>
{
  await tx.run(
    'INSERT INTO api_keys(hash, username, description, created_at, expires_at, collections, operations) VALUES ' +
      '(?, ?, ?, ?, ?, ?, ?)',
    [hash, username, description, createdAt, expiresAt, toText(collections), toText(operations)],
  );
}

export async function removeKey(tx: Transaction, hash: string): Promise<void> {
  await tx.run('DELETE FROM api_keys WHERE hash = ?', [hash]);
}

/** A key that was revoked before keeps the earlier time. */
export async function revokeKey(tx: Transaction, hash: string, at: number): Promise<void> {
  await tx.run('UPDATE api_keys SET revoked_at = ? WHERE hash = ? AND revoked_at = 0', [at, hash]);
}

/** Keeps the later time, in case two uses of one key arrive in the wrong order. */
async function writeUses(tx: Transaction, uses: Iterable<readonly [hash: string, at: number]>): Promise<void> {
  await tx.runMany('UPDATE api_keys SET last_used_at = ? WHERE hash = ? AND last_used_at < ?',
    [...uses].map(([hash, at]) => [at, hash, at]));
}

function toKey(row: KeyRow): StoredKey {
  return {
    hash: row.hash,
    username: row.username,
    description: row.description,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
    ...(row.collections !== '' && { collections: JSON.parse(row.collections) as string[] }),
    ...(row.operations !== '' && { operations: JSON.parse(row.operations) as string[] }),
  };
}

function toText(names: readonly string[] | undefined): string {
  return names === undefined ? '' : JSON.stringify(names);
}

/** Seconds between two writes: a busy key must not turn every read into a write. */
const PAUSE = 60;

interface KeyUsesOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Log;
  /** False if this process must not write. */
  readonly keep: boolean;
  /** Passes uses on to the process that writes, if this one does not. */
  readonly relay?: ((hash: string) => void) | undefined;
}

/** When each API key was last used: available at once, written from time to time and at the end. */
export class KeyUses {
  readonly #sql: Sql;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #keep: boolean;
  readonly #relay: KeyUsesOptions['relay'];
  /** Uses that are not written yet, by hash, in Unix seconds. */
  readonly #noted = new Map<string, number>();
  #writtenAt = 0;
  #writing: Promise<void> | undefined;

  constructor({ sql, clock, log, keep, relay }: KeyUsesOptions) {
    this.#sql = sql;
    this.#clock = clock;
    this.#log = log;
    this.#keep = keep;
    this.#relay = relay;
  }

  note(hash: string): void {
    if (this.#relay !== undefined) return this.#relay(hash);
    const now = unixSeconds(this.#clock);
    this.#noted.set(hash, now);
    if (!isRecent(this.#writtenAt, now, PAUSE)) void this.flush();
  }

  /** The later of the stored and the recorded time. */
  lastOf(hash: string, stored: number): number {
    return Math.max(stored, this.#noted.get(hash) ?? 0);
  }

  /** Writes the recorded uses; those that fail to be written stay recorded. Never rejects. */
  flush(): Promise<void> {
    return (this.#writing ??= this.#write().finally(() => (this.#writing = undefined)));
  }

  async #write(): Promise<void> {
    this.#writtenAt = unixSeconds(this.#clock);
    const uses = [...this.#noted];
    if (!this.#keep || uses.length === 0) return;
    try {
      await this.#sql.transaction((tx) => writeUses(tx, uses));
      for (const [hash, at] of uses) if (this.#noted.get(hash) === at) this.#noted.delete(hash);
    } catch (error) {
      this.#log.warn({ err: error }, 'the times at which API keys were used could not be written');
    }
  }
}
