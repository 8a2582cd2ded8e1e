import { createHash, timingSafeEqual } from 'node:crypto';
import { ConfigError } from '../../../lib/config-error.ts';

/** Who a key belongs to. */
export interface KeyOwner {
  readonly name: string;
  /** When the key expires, in Unix milliseconds; absent for never. */
  readonly expiresAt?: number;
}

interface StaticKey extends KeyOwner {
  readonly digest: Buffer;
}

/** The keys of `SVC_MCP_API_KEYS`, as digests: the keys themselves are not kept. */
export class StaticKeys {
  readonly #keys: readonly StaticKey[];

  /** `entries`: `key:name` each; the name is for logs and may be left out. Throws `ConfigError`, without showing a key. */
  constructor(entries: readonly string[]) {
    const problems: string[] = [];
    this.#keys = entries.map((entry, i) => {
      const [key = '', ...rest] = entry.split(':');
      const name = rest.join(':').trim() || `key ${i + 1}`;
      if (key.trim() === '') problems.push(`SVC_MCP_API_KEYS: entry ${i + 1} has no key before its name`);
      return { name, digest: digestOf(key.trim()) };
    });
    if (new Set(this.#keys.map(({ digest }) => digest.toString('hex'))).size !== this.#keys.length) problems.push('SVC_MCP_API_KEYS: a key is listed twice');
    if (problems.length > 0) throw new ConfigError(problems);
  }

  get size(): number {
    return this.#keys.length;
  }

  /** Compares with every key in constant time, so that neither a key's place nor its letters can be measured. */
  find(digest: Buffer): KeyOwner | undefined {
    let found: StaticKey | undefined;
    for (const key of this.#keys) if (timingSafeEqual(key.digest, digest)) found = key;
    return found === undefined ? undefined : { name: found.name };
  }
}

/** SHA-256, which is enough for keys that are long and random. */
export function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
