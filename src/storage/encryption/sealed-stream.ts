import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { KeyRing } from './key-ring.ts';
import { unreadable } from './record.ts';

/**
 * An encrypted stream, for files that are too large for one record:
 *
 *     magic "QSEALED1" | key id (1) | salt (32) | segments
 *
 * Each segment is encrypted by AES-256-GCM under a key that is derived for this stream (HKDF-SHA256 over the salt). Its
 * nonce holds its number and whether it is the last, so that reordered, missing and truncated segments are detected
 * (the STREAM construction of Hoang, Reyhanitabar, Rogaway and Vizár, 2015). All but the last hold `SEGMENT_BYTES` of
 * plaintext.
 */
const MAGIC = Buffer.from('QSEALED1', 'latin1');
const SALT_BYTES = 32;
const HEADER_BYTES = MAGIC.length + 1 + SALT_BYTES;
const SEGMENT_BYTES = 256 * 1024;
const TAG_BYTES = 16;
const NONCE_BYTES = 12;
const ALGORITHM = 'aes-256-gcm';

/** Encrypts the source; `aad` binds the stream to its purpose. */
export async function* sealStream(ring: KeyRing, aad: string,
  plain: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>
{
  const salt = randomBytes(SALT_BYTES);
  const key = ring.derive(ring.primaryId, salt);
  yield Buffer.concat([MAGIC, Uint8Array.of(ring.primaryId), salt]);
  let number = 0;
  let waiting: Buffer | undefined;
  for await (const segment of segments(plain, SEGMENT_BYTES)) {
    if (waiting !== undefined) yield sealSegment(key, aad, number++, false, waiting);
    waiting = segment;
  }
  yield sealSegment(key, aad, number, true, waiting ?? Buffer.alloc(0));
}

/**
 * Decrypts the stream. Rejects with `internal` if it is damaged, truncated, for another purpose or under a key that is
 * not here.
 */
export async function* openStream(ring: KeyRing, aad: string,
  sealed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>
{
  let key: Uint8Array | undefined;
  let number = 0;
  let waiting: Buffer | undefined;
  for await (const piece of segments(sealed, SEGMENT_BYTES + TAG_BYTES, HEADER_BYTES)) {
    if (key === undefined) {
      key = keyOf(ring, piece);
      continue;
    }
    if (waiting !== undefined) yield openSegment(key, aad, number++, false, waiting);
    waiting = piece;
  }
  if (key === undefined || waiting === undefined) throw unreadable('the file breaks off');
  yield openSegment(key, aad, number, true, waiting);
}

function isSealedStream(start: Uint8Array): boolean {
  return MAGIC.equals(start.subarray(0, MAGIC.length));
}

function keyOf(ring: KeyRing, header: Buffer): Uint8Array {
  if (header.length < HEADER_BYTES || !isSealedStream(header)) throw unreadable('the file is not encrypted');
  const keyId = header[MAGIC.length]!;
  if (!ring.has(keyId)) throw unreadable(`its key ${keyId} is not configured`);
  return ring.derive(keyId, header.subarray(MAGIC.length + 1));
}

function nonceOf(number: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUIntBE(number, 5, 6);
  nonce[11] = Number(last);
  return nonce;
}

function sealSegment(key: Uint8Array, aad: string, number: number, last: boolean, plain: Buffer): Buffer {
  const cipher = createCipheriv(ALGORITHM, key, nonceOf(number, last), { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(aad, 'utf8'));
  const ciphertext = cipher.update(plain);
  cipher.final();
  return Buffer.concat([ciphertext, cipher.getAuthTag()]);
}

function openSegment(key: Uint8Array, aad: string, number: number, last: boolean, sealed: Buffer): Buffer {
  if (sealed.length < TAG_BYTES) throw unreadable('the file breaks off');
  const decipher = createDecipheriv(ALGORITHM, key, nonceOf(number, last), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(aad, 'utf8'));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  const plain = decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES));
  try {
    decipher.final();
  } catch (cause) {
    throw unreadable('the file was changed, or breaks off', cause);
  }
  return plain;
}

/**
 * Splits the source into pieces of one length; the first piece may have another length, and the last one holds the
 * rest.
 */
async function* segments(source: AsyncIterable<Uint8Array>, length: number, first = length): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  let collected = 0;
  let wanted = first;
  for await (let chunk of source) {
    while (collected + chunk.length >= wanted) {
      const taken = wanted - collected;
      yield Buffer.concat([...parts, chunk.subarray(0, taken)]);
      chunk = chunk.subarray(taken);
      parts = [];
      collected = 0;
      wanted = length;
    }
    // A copy, because the source may reuse its buffer.
    if (chunk.length > 0) parts.push(Uint8Array.from(chunk));
    collected += chunk.length;
  }
  if (collected > 0) yield Buffer.concat(parts);
}
