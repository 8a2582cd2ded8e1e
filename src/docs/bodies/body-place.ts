import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { Pace } from '../../lib/pace.ts';
import type { ListedObject } from '../../net/objects.ts';
import { BodyLost, corrupt, type PlacedBody, writeReference } from '../../storage/index.ts';
import type { SteadyStore } from './steady-store.ts';
import type { StoreRecord } from './store-rows.ts';

/** The value of the column `backend` for a body. */
export function backendOf({ kind, id }: Pick<StoreRecord, 'kind' | 'id'>, name: string): string {
  return `${kind}:${id}:${name}`;
}

/**
 * The bodies in one place. Collecting unreferenced objects must not interfere with storing the same content again:
 * during a collection, objects that are being stored are kept, and storing waits for a removal of the same object that
 * is under way.
 */
export class BodyPlace {
  readonly record: StoreRecord;
  readonly #store: SteadyStore;
  readonly #clock: Clock;
  readonly #puts = new Map<string, number>();
  readonly #removals = new Map<string, Promise<void>>();
  #lastPut = 0;
  /** Names that were stored since the collection began. */
  #inUse: Set<string> | undefined;

  constructor(record: StoreRecord, store: SteadyStore, clock: Clock) {
    this.record = record;
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * When an object was last stored, in milliseconds since 1970; undefined while one is being stored, and 0 for never.
   */
  get lastPut(): number | undefined {
    return this.#puts.size > 0 ? undefined : this.#lastPut;
  }

  get isDown(): boolean {
    return this.#store.isDown;
  }

  /** Resolves when the record is stored. */
  async put(record: Uint8Array): Promise<PlacedBody & { readonly name: string }> {
    const { hash, key, bytes } = await sealObject(record, this.record.secret);
    const name = Buffer.from(hash).toString('hex');
    this.#inUse?.add(name);
    this.#puts.set(name, (this.#puts.get(name) ?? 0) + 1);
    try {
      await this.#removals.get(name)?.catch(() => undefined);
      await this.#store.put(name, bytes);
    } finally {
      const left = this.#puts.get(name)! - 1;
      this.#lastPut = this.#clock.now();
      if (left === 0) this.#puts.delete(name);
      else this.#puts.set(name, left);
    }
    return {
      name,
      backend: backendOf(this.record, name),
      reference: writeReference({ store: this.record.id, length: bytes.length, hash, key }),
    };
  }

  /**
   * The record of an object. Rejects with `BodyUnavailable`, `BodyLost`, or `internal` if the object is missing or
   * damaged.
   */
  async get(name: string, { hash, key }: { readonly hash: Uint8Array; readonly key: Uint8Array }): Promise<Uint8Array> {
    const bytes = await this.#read(name);
    // once more: it may have been damaged in transfer
    const sound = await isIntact(bytes, hash) ? bytes : await this.#read(name);
    if (sound !== bytes && !(await isIntact(sound, hash)))
      throw corrupt(`object ${name} of its bucket is not what was put there`);
    return openObject(sound, key);
  }

  async #read(name: string): Promise<Uint8Array> {
    const bytes = await this.#store.get(name);
    if (bytes !== undefined) return bytes;
    if (this.record.kind === 'memory') throw new BodyLost();
    throw corrupt(`object ${name} is missing from its bucket`);
  }

  /**
   * Removes objects stored before `before`, in milliseconds since 1970, that no version refers to; returns how many
   * were removed and how many are left.
   */
  async collect(before: number, named: (names: readonly string[]) => Promise<ReadonlySet<string>>,
    signal: AbortSignal): Promise<{ removed: number; left: number }>
  {
    const inUse = this.#inUse = new Set(this.#puts.keys());
    let [removed, left] = [0, 0];
    try {
      let from: string | undefined;
      do {
        const { objects, next } = await this.#store.list(from);
        const due = objects.filter(({ putAt }: ListedObject) => putAt <= before).map(({ name }) => name);
        const kept = due.length === 0 ? new Set() : await named(due);
        const unnamed = due.filter((name) => !kept.has(name));
        const gone = await this.#removeAll(unnamed, inUse, signal);
        removed += gone;
        left += objects.length - gone;
        from = next;
      } while (from !== undefined && !signal.aborted);
    } finally {
      this.#inUse = undefined;
    }
    return { removed, left };
  }

  async #removeAll(names: readonly string[], inUse: ReadonlySet<string>, signal: AbortSignal): Promise<number> {
    const gone = await Promise.all(names.map(async (name) => {
      if (signal.aborted || inUse.has(name)) return 0;
      const removal = this.#store.remove(name);
      this.#removals.set(name, removal);
      await removal.finally(() => this.#removals.delete(name));
      return 1;
    }));
    return gone.reduce<number>((sum, one) => sum + one, 0);
  }
}

/** An encrypted object: its bytes, their SHA-256, and the key that decrypts them. */
interface SealedObject {
  readonly bytes: Uint8Array;
  readonly hash: Uint8Array;
  readonly key: Uint8Array;
}

/**
 *     magic (8 bytes) | ciphertext | tag (16 bytes)
 *
 * AES-256-GCM with a key for each content, so the nonce is constant.
 */
const MAGIC = Buffer.from('QRBODY01', 'latin1');
const NONCE = Buffer.alloc(12);
const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';

/** Number of bytes that are hashed or encrypted before the event loop may turn. */
const STEP = 2 ** 20;

/**
 * Encrypts a compression record. The key is derived from the content and a secret of the store (convergent encryption,
 * Douceur et al. 2002): equal records become equal objects, and without the secret nobody can find the content of an
 * object by guessing.
 */
export async function sealObject(record: Uint8Array, secret: Uint8Array): Promise<SealedObject> {
  const pace = new Pace();
  const key = createHmac('sha256', secret).update(await hashOf(record, pace)).digest();
  const cipher = createCipheriv(ALGORITHM, key, NONCE, { authTagLength: TAG_BYTES });
  const parts: Uint8Array[] = [MAGIC];
  for (const step of steps(record)) {
    parts.push(cipher.update(step));
    await pace.rest();
  }
  cipher.final();
  const bytes = Buffer.concat([...parts, cipher.getAuthTag()]);
  return { bytes, hash: await hashOf(bytes, pace), key };
}

/** Whether an object is unchanged since it was stored. */
export async function isIntact(bytes: Uint8Array, hash: Uint8Array): Promise<boolean> {
  return (await hashOf(bytes, new Pace())).equals(hash);
}

/** The compression record of an object. Throws `internal` if it does not fit the key. */
export async function openObject(bytes: Uint8Array, key: Uint8Array): Promise<Uint8Array> {
  if (bytes.length < MAGIC.length + TAG_BYTES || !MAGIC.equals(bytes.subarray(0, MAGIC.length)))
    throw corrupt('its object is none of this server');
  const pace = new Pace();
  const decipher = createDecipheriv(ALGORITHM, key, NONCE, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const parts: Uint8Array[] = [];
  for (const step of steps(bytes.subarray(MAGIC.length, -TAG_BYTES))) {
    parts.push(decipher.update(step));
    await pace.rest();
  }
  try {
    decipher.final();
  } catch (cause) {
    throw corrupt('its object does not fit its key', cause);
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

async function hashOf(bytes: Uint8Array, pace: Pace): Promise<Buffer> {
  const hash = createHash('sha256');
  for (const step of steps(bytes)) {
    hash.update(step);
    await pace.rest();
  }
  return hash.digest();
}

function* steps(bytes: Uint8Array): Generator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += STEP) yield bytes.subarray(i, i + STEP);
}
