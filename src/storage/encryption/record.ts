import { ServiceError } from '../../errors/index.ts';

/**
 * The encryption record of a value (decisions, section 2.4):
 *
 *     SVCENC (6 bytes) | version 0x02 | key id (1) | nonce (12) | AES-256-GCM ciphertext | tag (16)
 *
 * A value without the magic is plaintext. In a column of text the record is base64, whose first eight characters are
 * the magic: neither JSON nor the record of a body begins with them.
 */
const MAGIC = Buffer.from('SVCENC', 'latin1');
const MAGIC_BASE64 = MAGIC.toString('base64');
const VERSION = 2;
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

/** Conditions in SQL: a column of text, or of bytes, holds an encrypted value. */
export const SEALED_META = (column: string): string =>
  `substr(${column}, 1, ${MAGIC_BASE64.length}) = '${MAGIC_BASE64}'`;
export const SEALED_BLOB = (column: string): string =>
  `substr(${column}, 1, ${MAGIC.length}) = x'${MAGIC.toString('hex')}'`;

const KEY_ID_AT = MAGIC.length + 1;
const NONCE_AT = KEY_ID_AT + 1;
const HEADER_BYTES = NONCE_AT + NONCE_BYTES;

interface SealedRecord {
  readonly keyId: number;
  readonly nonce: Uint8Array;
  readonly ciphertext: Uint8Array;
  readonly tag: Uint8Array;
}

export function isSealed(value: Uint8Array): boolean {
  return value.length >= MAGIC.length && MAGIC.equals(value.subarray(0, MAGIC.length));
}

export function isSealedText(text: string): boolean {
  return text.startsWith(MAGIC_BASE64);
}

export function headerOf(keyId: number, nonce: Uint8Array): Buffer {
  return Buffer.concat([MAGIC, Uint8Array.of(VERSION, keyId), nonce]);
}

/** Throws `internal` for a truncated record or a version that this build does not know. */
export function readSealed(bytes: Uint8Array): SealedRecord {
  const version = bytes[MAGIC.length];
  if (bytes.length < HEADER_BYTES + TAG_BYTES) throw unreadable('its record breaks off');
  if (version !== VERSION) throw unreadable(`its record has version ${version}, and this build knows ${VERSION}`);
  return {
    keyId: bytes[KEY_ID_AT]!,
    nonce: bytes.subarray(NONCE_AT, HEADER_BYTES),
    ciphertext: bytes.subarray(HEADER_BYTES, bytes.length - TAG_BYTES),
    tag: bytes.subarray(bytes.length - TAG_BYTES),
  };
}

/** The message for every encrypted value that cannot be decrypted: it never contains a part of the value. */
export function unreadable(reason: string, cause?: unknown): ServiceError {
  return new ServiceError('internal', `an encrypted value cannot be read: ${reason}`,
    cause === undefined ? {} : { cause });
}

/** Bytes of a value that determine its key, or that it has none. */
export const HEAD_BYTES = KEY_ID_AT + 1;

/** The key of an encrypted value, determined from its first bytes; undefined for plaintext. */
export function keyIdOfHead(head: Uint8Array): number | undefined {
  return isSealed(head) ? head[KEY_ID_AT] : undefined;
}
