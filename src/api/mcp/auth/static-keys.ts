import { createHash, timingSafeEqual } from 'node:crypto';
import { ConfigError } from '../../../lib/setting-values.ts';

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
