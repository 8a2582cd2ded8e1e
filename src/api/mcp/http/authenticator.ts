import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Lru } from '../../../lib/caches.ts';
import type { Clock } from '../../../lib/clock.ts';
import { type Credential, presentedCredential } from '../../../lib/headers.ts';
import { ConfigError } from '../../../lib/setting-values.ts';

/** Keys that are stored in the database (`/v1/mcp/keys`). */
export interface StoredKeys {
  /** Returns the owner of an active key; undefined for a key that is unknown, disabled or expired. */
  find(digest: string): Promise<KeyOwner | undefined>;
}

export interface AuthenticatorOptions {
  /** Whether a key is required (`SVC_MCP_API_KEY_ENABLED`). */
  readonly required: boolean;
  readonly keys: StaticKeys;
  readonly stored?: StoredKeys;
  /**
   * Returns the user of a credential of the service, if those are required instead of keys; undefined for a credential
   * that is not valid.
   */
  readonly accepts?: (credential: Credential) => Promise<ServiceUser | undefined>;
  /** Milliseconds for which the result for a stored key is cached (`SVC_MCP_API_KEY_CACHE_TTL`). */
  readonly cacheTtl: number;
  readonly clock: Clock;
}

/** The part of a user of the service that is needed here. */
export interface ServiceUser {
  readonly username: string;
  /** The id of the user's record; another user of that name has another one. */
  readonly account?: string;
  /** When the credential expires, in Unix milliseconds; absent if it does not expire. */
  readonly expiresAt?: number;
}

/**
 * The sender of a request: the owner of an MCP key with the SHA-256 of that key, a user of the service by their
 * credential, or an anonymous sender; or why it is rejected.
 */
export type Identity = { readonly ok: true; readonly owner?: KeyOwner; readonly key?: string;
  readonly user?: ServiceUser; readonly credential?: Credential } | { readonly ok: false; readonly reason: string;
  readonly credential?: Credential };

/** The message for every invalid credential, whatever the reason, the same in all protocols (contract, section 7). */
const INVALID = 'invalid token';

/** Cached results; guessing keys must not fill the memory. */
const CACHED = 10_000;

interface Cached {
  readonly owner: KeyOwner | undefined;
  readonly until: number;
}

/**
 * Checks MCP keys if they are required, and otherwise the service's credentials if it has any: without
 * this, any client that reaches the port could take all sessions.
 */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #cache = new Lru<string, Cached>(CACHED);

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** `query` may contain `api_key` for clients that cannot set headers, as with server-sent events. */
  async identify(request: IncomingMessage, query: URLSearchParams, queryAllowed: boolean): Promise<Identity> {
    const credential = credentialOf(request, queryAllowed ? query : undefined);
    const { required, accepts } = this.#options;
    if (!required && accepts === undefined) return { ok: true, credential };
    if (credential === undefined) return { ok: false, reason: 'missing authentication' };
    if (required) {
      const digest = digestOf(credential.value);
      const owner = await this.#ownerOf(digest);
      return owner === undefined
        ? { ok: false, reason: INVALID, credential }
        : { ok: true, owner, key: digest.toString('hex') };
    }
    const user = await accepts!(credential);
    return user === undefined ? { ok: false, reason: INVALID, credential } : { ok: true, user, credential };
  }

  /** Clears the cache: after a key was removed or disabled it must stop working at once. */
  forget(): void {
    this.#cache.clear();
  }

  async #ownerOf(digest: Buffer): Promise<KeyOwner | undefined> {
    const { keys, stored, cacheTtl, clock } = this.#options;
    const known = keys.find(digest);
    if (known !== undefined || stored === undefined) return known;
    const name = digest.toString('hex');
    const cache = this.#cache.get(name);
    if (cache !== undefined && clock.now() < cache.until) return cache.owner;
    const owner = await stored.find(name);
    this.#cache.set(name, { owner, until: Math.min(clock.now() + cacheTtl, owner?.expiresAt ?? Infinity) });
    return owner;
  }
}

function credentialOf({ headers }: IncomingMessage, query: URLSearchParams | undefined): Credential | undefined {
  return presentedCredential(headers['x-api-key'] || undefined, headers.authorization) ??
    presentedCredential(query?.get('api_key') || undefined, undefined);
}

/** The owner of a key. */
export interface KeyOwner {
  readonly name: string;
  /** When the key expires, in Unix milliseconds; absent if it does not expire. */
  readonly expiresAt?: number;
}

interface StaticKey extends KeyOwner {
  readonly digest: Buffer;
}

/** The keys of `SVC_MCP_API_KEYS`, as digests: the keys themselves are not stored. */
export class StaticKeys {
  readonly #keys: readonly StaticKey[];

  /**
   * `entries`: `key:name` each; the name is used in logs and may be omitted. Throws `ConfigError`, without revealing a
   * key.
   */
  constructor(entries: readonly string[]) {
    const problems: string[] = [];
    this.#keys = entries.map((entry, i) => {
      const [key = '', ...rest] = entry.split(':');
      const name = rest.join(':').trim() || `key ${i + 1}`;
      if (key.trim() === '') problems.push(`SVC_MCP_API_KEYS: entry ${i + 1} has no key before its name`);
      return { name, digest: digestOf(key.trim()) };
    });
    if (new Set(this.#keys.map(({ digest }) => digest.toString('hex'))).size !== this.#keys.length)
      problems.push('SVC_MCP_API_KEYS: a key is listed twice');
    if (problems.length > 0) throw new ConfigError(problems);
  }

  get size(): number {
    return this.#keys.length;
  }

  /** Compares with every key in constant time, so that timing reveals neither a key's position nor its characters. */
  find(digest: Buffer): KeyOwner | undefined {
    let found: StaticKey | undefined;
    for (const key of this.#keys) if (timingSafeEqual(key.digest, digest)) found = key;
    return found === undefined ? undefined : { name: found.name };
  }
}

/** SHA-256, which is sufficient for long random keys. */
export function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
