import { Lru } from '../../lib/caches.ts';
import type { Queries, Sql, Transaction } from '../../storage/index.ts';
import { readKey, type StoredKey } from './credentials/api-keys.ts';
import { Grants, listGrantsHeld, listGrantsOf } from './grants.ts';
import type { ClaimedRights } from './oidc/oidc.ts';
import { readUser } from './user-rows.ts';

/** A user with everything that authorization needs. */
export interface Account {
  readonly username: string;
  /** The id of the user's record. */
  readonly uid: string;
  readonly tokenId: string;
  readonly disabled: boolean;
  /** Whether the password must be changed before any other operation. */
  readonly mustChange: boolean;
  /** By the user's own flag or by permission. */
  readonly admin: boolean;
  readonly grants: Grants;
}

/**
 * Maximum number of cached users and keys. Unknown names and keys are not cached: guessing must not fill the memory.
 */
const MAX_REMEMBERED = 10_000;

/**
 * Users and keys, cached because every request needs them. Each change calls `forget` when it commits, before it is
 * acknowledged; data that were read during a change are not cached.
 */
export class Accounts {
  readonly #sql: Sql;
  readonly #users = new Lru<string, Account>(MAX_REMEMBERED);
  readonly #keys = new Lru<string, StoredKey>(MAX_REMEMBERED);
  readonly #ended = new Lru<string, boolean>(MAX_REMEMBERED);
  readonly #listeners = new Set<() => void>();
  #changes = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** The number of changes so far; data that were read are current while this number stays the same. */
  get changes(): number {
    return this.#changes;
  }

  /**
   * Undefined if there is no user of that name; disabled users are returned with `disabled` set. Includes the rights
   * that the claims of an issuer stand for.
   */
  account(username: string, claimed?: ClaimedRights): Promise<Account | undefined> {
    const claims = claimed === undefined || claimed.roles.length + claimed.groups.length === 0 ? undefined : claimed;
    // No name begins with a bracket, so the two forms of keys cannot collide.
    const key = claims === undefined ? username : JSON.stringify([username, claims.roles, claims.groups]);
    return this.#recall(this.#users, key, () => this.#readAccount(username, claims));
  }

  /** By the hash; expired keys are returned too. */
  key(hash: string): Promise<StoredKey | undefined> {
    return this.#recall(this.#keys, hash, () => readKey(this.#sql, hash));
  }

  /** Whether the user has signed out of a session. */
  async isEnded(session: string): Promise<boolean> {
    return (await this.#recall(this.#ended, session, () => isEnded(this.#sql, session)))!;
  }

  forget(): void {
    this.#changes += 1;
    this.#users.clear();
    this.#keys.clear();
    this.#ended.clear();
    for (const listener of this.#listeners) listener();
  }

  /**
   * Calls the listener whenever users, groups, keys or permissions have changed, until the returned function is called.
   * The listener must not throw.
   */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async #recall<V>(memory: Lru<string, V>, name: string, read: () => Promise<V | undefined>): Promise<V | undefined> {
    const known = memory.get(name);
    if (known !== undefined) return known;
    const before = this.#changes;
    const found = await read();
    if (found !== undefined && before === this.#changes) memory.set(name, found);
    return found;
  }

  async #readAccount(username: string, claims?: ClaimedRights): Promise<Account | undefined> {
    const user = await readUser(this.#sql, username);
    if (user === undefined) return undefined;
    const grants = new Grants([...await listGrantsOf(this.#sql, username),
      ...(claims === undefined ? [] : await listGrantsHeld(this.#sql, claims))]);
    return {
      username,
      uid: user.uid,
      tokenId: user.tokenId,
      disabled: user.disabled,
      mustChange: user.mustChange,
      admin: user.admin || grants.areThoseOfAdmin,
      grants,
    };
  }
}

/**
 * Prefix of the names under which ended sessions are stored among the settings of the database; the value is when their
 * tokens expire.
 */
const PREFIX = 'ended_session:';

/** The first name after all of them. */
const AFTER = `${PREFIX.slice(0, -1)};`;

async function isEnded(queries: Queries, id: string): Promise<boolean> {
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
