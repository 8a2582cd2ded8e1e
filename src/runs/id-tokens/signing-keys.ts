import { exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { randomBytes, randomUUID } from 'node:crypto';
import { open, readFile, rm } from 'node:fs/promises';
import { durableRename } from '../../lib/files.ts';
import type { Row } from '../../storage/index.ts';
import { inDataDir } from '../config/index.ts';
import type { RunsEnvironment } from '../environment.ts';

/** All of AWS, Google Cloud, Azure and Vault accept it. */
export const ALGORITHM = 'RS256';

const FILE = 'id-token-keys.json';
const HOUR = 3_600_000;

/** How long a key is listed before it signs, because others keep the list for a while. */
const ANNOUNCED_MS = HOUR;

/**
 * How long a key is listed after the last refresh by the server that signs with it: the longest life of a token, and
 * two hours, because it is refreshed once an hour.
 */
const LISTED_MS = 26 * HOUR;

/** A key in the file of this server; `since` is when it begins to sign, in milliseconds since 1970. */
interface StoredKey {
  readonly kid: string;
  readonly since: number;
  readonly jwk: JWK;
}

interface KeyRow extends Row {
  readonly jwk: string;
}

/**
 * The keys that sign tokens of steps. Private keys are in a file of this server that only its user can read; public
 * ones are in the store, so that every server lists those of all.
 */
export class SigningKeys {
  readonly #env: RunsEnvironment;
  #keys: readonly StoredKey[] | undefined;
  #refreshing: Promise<void> = Promise.resolve();

  constructor(env: RunsEnvironment) {
    this.#env = env;
  }

  /** The key that signs now. Rejects if the file cannot be read or written. */
  async current(): Promise<{ readonly kid: string; readonly key: Awaited<ReturnType<typeof importJWK>> }> {
    if (this.#keys === undefined) await this.refresh();
    const { kid, jwk } = signing(this.#keys!, this.#env.clock.now());
    return { kid, key: await importJWK(jwk, ALGORITHM) };
  }

  /** The public keys of all servers. */
  async listed(): Promise<JWK[]> {
    if (this.#keys === undefined) await this.refresh();
    const rows = await this.#env.sql.all<KeyRow>(
      'SELECT jwk FROM id_token_keys WHERE expires_ms > ? ORDER BY expires_ms DESC, kid LIMIT 100',
      [this.#env.clock.now()],
    );
    return rows.map(({ jwk }) => JSON.parse(jwk) as JWK);
  }

  /** Replaces the key when it is old enough, lists the keys of this server, and removes those that no token needs. */
  refresh(): Promise<void> {
    const turn = this.#refreshing.then(() => this.#refresh());
    this.#refreshing = turn.catch(() => undefined);
    return turn;
  }

  async #refresh(): Promise<void> {
    const { sql, clock, config } = this.#env;
    const now = clock.now();
    const kept = this.#keys ?? (await this.#read());
    const newest = kept.at(-1);
    const { key_rotation: rotation } = config.current().config.id_tokens;
    const isDue = newest === undefined || Math.abs(now - newest.since) >= rotation;
    const next = isDue ? [...kept, await makeKey(newest === undefined ? now : now + ANNOUNCED_MS)] : kept;
    const used = next.slice(next.indexOf(signing(next, now)));
    if (isDue || used.length < next.length) await this.#write(used);
    await sql.transaction(async (tx) => {
      for (const key of used)
        await tx.run(`INSERT INTO id_token_keys(kid, jwk, expires_ms) VALUES (?, ?, ?)
           ON CONFLICT(kid) DO UPDATE SET expires_ms = excluded.expires_ms`, [key.kid, JSON.stringify(publicPart(key)),
          now + LISTED_MS]);
      await tx.run('DELETE FROM id_token_keys WHERE expires_ms <= ?', [now]);
    });
    this.#keys = used;
  }

  async #read(): Promise<readonly StoredKey[]> {
    try {
      return JSON.parse(await readFile(this.#file, 'utf8')) as StoredKey[];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw new Error(`${this.#file} cannot be read; without it, delete the file to make new keys`, { cause: error });
    }
  }

  async #write(keys: readonly StoredKey[]): Promise<void> {
    const draft = `${this.#file}.${randomUUID()}`;
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(JSON.stringify(keys));
    } finally {
      await handle.close();
    }
    await durableRename(draft, this.#file).catch(async (error: unknown) => {
      await rm(draft, { force: true });
      throw error;
    });
  }

  get #file(): string {
    return inDataDir(this.#env.config.current().config, FILE);
  }
}

/** The newest key that has begun to sign; the first one if the clock was set back. */
function signing(keys: readonly StoredKey[], now: number): StoredKey {
  return keys.findLast(({ since }) => since <= now) ?? keys[0]!;
}

async function makeKey(since: number): Promise<StoredKey> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  return { kid: randomBytes(12).toString('hex'), since, jwk: await exportJWK(privateKey) };
}

function publicPart({ kid, jwk: { kty, n, e } }: StoredKey): JWK {
  return { kty, kid, use: 'sig', alg: ALGORITHM, n, e } as JWK;
}
