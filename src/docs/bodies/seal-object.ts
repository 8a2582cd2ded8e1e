import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';
import { Pace } from '../../lib/pace.ts';
import { corrupt } from '../../storage/index.ts';

/** An encrypted object: its bytes, their SHA-256, and the key that decrypts them. */
export interface SealedObject {
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
