import { Lru } from '../../lib/lru.ts';
import type { Sql } from '../../storage/index.ts';
import { Grants } from './grants.ts';
import { readKey, type StoredKey } from './rows/api-key-rows.ts';
import type { ClaimedRights } from './oidc/claims.ts';
import { listGrantsHeld, listGrantsOf } from './rows/grant-rows.ts';
import { readUser } from './rows/user-rows.ts';

/** A user with all that decides about a request. */
export interface Account {
  readonly username: string;
  readonly tokenId: string;
  readonly disabled: boolean;
  /** Whether the password has to be changed before anything else. */
  readonly mustChange: boolean;
  /** By nature or by permission. */
  readonly admin: boolean;
  readonly grants: Grants;
}

/** Users and keys that are remembered. Who is not there is not: guessing must not fill the memory. */
const REMEMBERED = 10_000;

/**
 * Who there is, asked by every request and so remembered. Whatever changes tells `forget` when it commits, before
 * it is acknowledged; what was read while something changed is not remembered.
 */
export class Accounts {
  readonly #sql: Sql;
  readonly #users = new Lru<string, Account>(REMEMBERED);
  readonly #keys = new Lru<string, StoredKey>(REMEMBERED);
  readonly #listeners = new Set<() => void>();
  #changes = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** How often anything has changed; what was read is of the present while this stays. */
  get changes(): number {
    return this.#changes;
  }

  /**
   * Undefined where there is no user of that name; one who is disabled is answered as such. With what claims of an issuer stand
   * for beside the user's own rights.
   */
  account(username: string, claimed?: ClaimedRights): Promise<Account | undefined> {
    const claims = claimed === undefined || claimed.roles.length + claimed.groups.length === 0 ? undefined : claimed;
    // No name begins with a bracket.
    const key = claims === undefined ? username : JSON.stringify([username, claims.roles, claims.groups]);
    return this.#recall(this.#users, key, () => this.#readAccount(username, claims));
  }

  /** By the hash; one that has expired is answered all the same. */
  key(hash: string): Promise<StoredKey | undefined> {
    return this.#recall(this.#keys, hash, () => readKey(this.#sql, hash));
  }

  forget(): void {
    this.#changes += 1;
    this.#users.clear();
    this.#keys.clear();
    for (const listener of this.#listeners) listener();
  }

  /** Calls the listener whenever anything about users, groups, keys or permissions has changed, until what is answered is called. It must not throw. */
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
    const grants = new Grants([...await listGrantsOf(this.#sql, username), ...(claims === undefined ? [] : await listGrantsHeld(this.#sql, claims))]);
    return { username, tokenId: user.tokenId, disabled: user.disabled, mustChange: user.mustChange, admin: user.admin || grants.areThoseOfAdmin, grants };
  }
}
