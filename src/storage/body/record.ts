import { ServiceError } from '../../errors/index.ts';
import { decodeVarint, encodeVarint } from '../../lib/varint.ts';
import { isSealed } from '../encryption/index.ts';

/**
 * The compression record of a body:
 *
 *     flag (1 byte: 0 raw, 1 fast, 2 strong) | raw length (varint) | payload
 *
 * Encryption wraps a whole record (`encryption/record.ts`); an encrypted one begins with a magic whose first byte is
 * not a flag.
 */
export const FLAGS = { raw: 0, fast: 1, strong: 2 } as const;
export type Flag = (typeof FLAGS)[keyof typeof FLAGS];

export interface BodyRecord {
  readonly flag: Flag;
  /** Length of the body, in bytes. */
  readonly rawLength: number;
  readonly payload: Uint8Array;
}

export function writeRecord({ flag, rawLength, payload }: BodyRecord): Uint8Array {
  return Buffer.concat([Uint8Array.of(flag), encodeVarint(rawLength), payload]);
}

/** Throws `internal` for an encrypted record, an unknown flag and a truncated header. */
export function readRecord(bytes: Uint8Array): BodyRecord {
  if (isSealed(bytes))
    throw new ServiceError('internal', 'the body is encrypted and no key is configured (SVC_ENCRYPTION_KEY)');
  const flag = bytes[0];
  if (flag !== FLAGS.raw && flag !== FLAGS.fast && flag !== FLAGS.strong) {
    throw corrupt(flag === undefined ? 'it is empty' : `unknown flag ${flag}`);
  }
  const length = decodeVarint(bytes, 1);
  if (length === undefined) throw corrupt('its header breaks off');
  return { flag, rawLength: length.value, payload: bytes.subarray(length.end) };
}

export function corrupt(reason: string, cause?: unknown): ServiceError {
  return new ServiceError('internal', `a stored body is corrupt: ${reason}`, cause === undefined ? {} : { cause });
}
