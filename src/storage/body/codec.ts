import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync,
  type ZstdOptions } from 'node:zlib';
import { ServiceError } from '../../errors/index.ts';
import { decodeVarint, encodeVarint } from '../../lib/bytes.ts';
import { isSealed } from '../encryption/record.ts';

/**
 * The compression record of a body:
 *
 *     flag (1 byte: 0 raw, 1 fast, 2 strong) | raw length (varint) | payload
 *
 * Encryption wraps a whole record (`encryption/record.ts`); an encrypted one begins with a magic whose first byte is
 * not a flag.
 */
export const FLAGS = { raw: 0, fast: 1, strong: 2 } as const;
type Flag = (typeof FLAGS)[keyof typeof FLAGS];

interface BodyRecord {
  readonly flag: Flag;
  /** Length of the body, in bytes. */
  readonly rawLength: number;
  readonly payload: Uint8Array;
}

export function writeRecord({ flag, rawLength, payload }: BodyRecord): Uint8Array {
  return Buffer.concat([Uint8Array.of(flag), encodeVarint(rawLength), payload]);
}

/** Throws `internal` for an encrypted record, an unknown flag and a truncated header. */
function readRecord(bytes: Uint8Array): BodyRecord {
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

/** See the compression settings of the contract, section 1: `SVC_COMPRESSION_*`. */
export interface CompressionOptions {
  readonly enabled: boolean;
  /** Bodies of at least this many bytes are compressed fast … */
  readonly smallThreshold: number;
  /** … and of at least this many, strongly. */
  readonly mediumThreshold: number;
}

export const DEFAULT_COMPRESSION: CompressionOptions = { enabled: true, smallThreshold: 1024, mediumThreshold: 10_240 };

/** A compressed form must be at least 5 % smaller; otherwise reading it costs more than it saves. */
const WORTHWHILE = 0.95;

/**
 * Larger bodies are handled in the thread pool; for smaller ones the transfer takes longer than the work. Compression
 * takes far longer than decompression.
 */
const LARGE_TO_COMPRESS = 8 * 1024;
const LARGE_TO_DECOMPRESS = 32 * 1024;

/** Longest body in bytes; a record that claims more is damaged or a decompression bomb. */
const MAX_RAW_BYTES = 512 * 2 ** 20;

const compressInPool = promisify(zstdCompress);
const decompressInPool = promisify(zstdDecompress);

/**
 * The stored form of a body (decisions section 2.4, "Compression record"); a promise if it is compressed in the thread
 * pool.
 */
export function encodeBody(body: Uint8Array, options: CompressionOptions = DEFAULT_COMPRESSION): Uint8Array | Promise<
  Uint8Array
> {
  const flag = chooseFlag(body.length, options);
  if (flag === FLAGS.raw || body.length < LARGE_TO_COMPRESS) return encodeBodySync(body, options);
  return compressInPool(body, zstdOptions(flag, body.length)).then((compressed) => toRecord(flag, compressed, body));
}

/** As `encodeBody`, in the calling thread. */
export function encodeBodySync(body: Uint8Array, options: CompressionOptions): Uint8Array {
  const flag = chooseFlag(body.length, options);
  return toRecord(flag, flag === FLAGS.raw ? body : zstdCompressSync(body, zstdOptions(flag, body.length)), body);
}

/** Whether a body of this many bytes is compressed, but not in the thread pool. */
export function isCompressedAtOnce(bytes: number, options: CompressionOptions): boolean {
  return bytes < LARGE_TO_COMPRESS && chooseFlag(bytes, options) !== FLAGS.raw;
}

/**
 * Returns the body of a stored form; throws `internal` when it is encrypted or damaged, and never returns a wrong body.
 */
export function decodeBody(stored: Uint8Array): Uint8Array {
  const record = checkedRecord(stored);
  if (record.flag === FLAGS.raw) return record.payload;
  try {
    return exactly(record, zstdDecompressSync(record.payload, bounded(record)));
  } catch (cause) {
    throw corrupt('it does not decompress', cause);
  }
}

/** As `decodeBody`, but a large body is decompressed in the thread pool. */
export async function decodeBodyAsync(stored: Uint8Array): Promise<Uint8Array> {
  const record = checkedRecord(stored);
  if (record.flag === FLAGS.raw || record.rawLength < LARGE_TO_DECOMPRESS) return decodeBody(stored);
  try {
    return exactly(record, await decompressInPool(record.payload, bounded(record)));
  } catch (cause) {
    throw corrupt('it does not decompress', cause);
  }
}

function chooseFlag(length: number, { enabled, smallThreshold, mediumThreshold }: CompressionOptions): Flag {
  if (!enabled || length === 0) return FLAGS.raw;
  if (length >= mediumThreshold) return FLAGS.strong;
  return length >= smallThreshold ? FLAGS.fast : FLAGS.raw;
}

/**
 * The checksum makes zstd detect damage that would still decompress. The objects are made once, because reading new
 * ones takes as long as compressing a small body.
 */
const PARAMETERS = Object.fromEntries(
  ([[FLAGS.fast, 1], [FLAGS.strong, 9]] as const).map((
    [flag, level],
  ) => [flag, { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 }]),
);

/** Maximum bytes in one piece of output. Node allocates 16 KiB for each by default, however small the output is. */
const MAX_PIECE = 64 * 1024;

function zstdOptions(flag: Flag, length: number): ZstdOptions {
  return { pledgedSrcSize: length, chunkSize: pieceFor(length), params: PARAMETERS[flag]! };
}

/**
 * Size of an output buffer that holds the whole output and a little more, because zlib follows a full piece with
 * another one.
 */
function pieceFor(length: number): number {
  return Math.min(length + 64, MAX_PIECE);
}

function toRecord(flag: Flag, payload: Uint8Array, body: Uint8Array): Uint8Array {
  const worthwhile = flag === FLAGS.raw || payload.length <= body.length * WORTHWHILE;
  return writeRecord(
    worthwhile ? { flag, rawLength: body.length, payload } : { flag: FLAGS.raw, rawLength: body.length, payload: body },
  );
}

function checkedRecord(stored: Uint8Array): BodyRecord {
  const record = readRecord(stored);
  if (record.rawLength > MAX_RAW_BYTES) throw corrupt(`it claims ${record.rawLength} bytes`);
  if (record.flag === FLAGS.raw) exactly(record, record.payload);
  return record;
}

/** Decompression stops when it exceeds what the record claims. zlib wants a limit of at least 1. */
function bounded(record: BodyRecord): ZstdOptions {
  return { maxOutputLength: Math.max(1, record.rawLength), chunkSize: pieceFor(record.rawLength) };
}

function exactly(record: BodyRecord, body: Uint8Array): Uint8Array {
  if (body.length !== record.rawLength) throw corrupt(`it claims ${record.rawLength} bytes and has ${body.length}`);
  return body;
}
