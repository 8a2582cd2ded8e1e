import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { headerOf, NONCE_BYTES, readSealed, TAG_BYTES, unreadable } from './record.ts';

export const KEY_BYTES = 32;

/** A key with its number, 1 to 255. */
export interface Key {
  readonly id: number;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

/**
 * The keys of encryption at rest: the primary one encrypts, and all of them decrypt. Values are encrypted by
 * AES-256-GCM with a random nonce of 96 bits (NIST SP 800-38D, section 8.2.2, which allows 2^32 values for one key:
 * rotate before). The place that a value belongs to is additional data, so that a value which was moved to another
 * place cannot be decrypted there.
 */
export class KeyRing {
  readonly primaryId: number;
  readonly previousIds: readonly number[];
  /** As key objects, with which decryption is four times as fast as with bytes. */
  readonly #keys: ReadonlyMap<number, KeyObject>;

  constructor(primary: Key, previous: readonly Key[] = []) {
    this.primaryId = primary.id;
    this.previousIds = previous.map(({ id }) => id);
    this.#keys = new Map([primary, ...previous].map(({ id, bytes }) => [id, createSecretKey(bytes)]));
  }

  has(keyId: number): boolean {
    return this.#keys.has(keyId);
  }

  /** All keys, the primary one first, to recreate this ring in another thread. */
  keys(): Key[] {
    return [...this.#keys].map(([id, key]) => ({ id, bytes: key.export() }));
  }

  static of(keys: readonly Key[]): KeyRing {
    return new KeyRing(keys[0]!, keys.slice(1));
  }

  /** Derives a key for one stream from a key of the ring. */
  derive(keyId: number, salt: Uint8Array): Uint8Array {
    return new Uint8Array(hkdfSync('sha256', this.#keys.get(keyId)!, salt, 'quire sealed stream', KEY_BYTES));
  }

  /** Encrypts bytes to a record under the primary key, or another one of the ring. */
  seal(plain: Uint8Array, aad: string, keyId = this.primaryId): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#keys.get(keyId)!, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(aad, 'utf8'));
    const ciphertext = cipher.update(plain);
    cipher.final();
    return Buffer.concat([headerOf(keyId, nonce), ciphertext, cipher.getAuthTag()]);
  }

  /**
   * Decrypts the bytes of a record. Throws `internal` when its key is not here, when it was changed, or when it belongs
   * to another place; bytes that are not authenticated are never returned.
   */
  open(record: Uint8Array, aad: string): Buffer {
    const { keyId, nonce, ciphertext, tag } = readSealed(record);
    const key = this.#keys.get(keyId);
    if (key === undefined) throw unreadable(`its key ${keyId} is not configured`);
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(aad, 'utf8'));
    decipher.setAuthTag(tag);
    const plain = decipher.update(ciphertext);
    try {
      decipher.final();
    } catch (cause) {
      throw unreadable(`it does not fit key ${keyId}, was changed, or belongs elsewhere`, cause);
    }
    return plain;
  }
}
