import { crc32 } from 'node:zlib';

/**
 * An entry of the binlog (decision 4.11): a piece of the rows that one commit has changed. All integers are
 * little-endian.
 *
 * length of what follows the checksum (u32) | checksum (u32) | position (u64) | LSN (u64) | time in ns (u64) | flags
 * (u8) | value
 *
 * The checksum is the CRC-32 of what follows it, seeded with that of the previous entry: two binlogs that agree on one
 * entry agree on all before it.
 */
interface Entry {
  /** Number of the entry in its history, from 1 without a gap. */
  readonly position: number;
  /** Number of the last change of the feed once the commit has been made. */
  readonly lsn: number;
  /** Nanoseconds since 1970. */
  readonly timestamp: bigint;
  /** Whether it is the last entry of its commit. */
  readonly txnEnd: boolean;
  readonly checksum: number;
  /** A part of a patchset; the concatenation of all entries of a commit is the complete one. */
  readonly value: Buffer;
}

const HEAD = 8;
const FIXED = 25;
const TXN_END = 1;

/** Maximum bytes of a patchset in one entry. */
export const PIECE = 512 * 1024;

/** Maximum bytes of an entry. */
export const MAX_ENTRY = HEAD + FIXED + PIECE;

/** An invalid entry: torn, damaged, or of another binlog. */
export class BadEntry extends Error {}

/** Splits a patchset into the entries of one commit, which follow `place`. */
export function entriesOf(patchset: Uint8Array, place: { readonly position: number; readonly checksum: number },
  lsn: number, timestamp: bigint): { bytes: Buffer; position: number; checksum: number }
{
  const count = Math.max(1, Math.ceil(patchset.length / PIECE));
  const bytes = Buffer.allocUnsafe(patchset.length + count * (HEAD + FIXED));
  let { position, checksum } = place;
  let at = 0;
  for (let i = 0; i < count; i++) {
    const value = patchset.subarray(i * PIECE, (i + 1) * PIECE);
    position += 1;
    bytes.writeUInt32LE(FIXED + value.length, at);
    bytes.writeBigUInt64LE(BigInt(position), at + HEAD);
    bytes.writeBigUInt64LE(BigInt(lsn), at + HEAD + 8);
    bytes.writeBigUInt64LE(timestamp, at + HEAD + 16);
    bytes.writeUInt8(i === count - 1 ? TXN_END : 0, at + HEAD + 24);
    bytes.set(value, at + HEAD + FIXED);
    const end = at + HEAD + FIXED + value.length;
    checksum = crc32(bytes.subarray(at + HEAD, end), checksum);
    bytes.writeUInt32LE(checksum, at + 4);
    at = end;
  }
  return { bytes, position, checksum };
}

/**
 * The entry at an offset and its end; undefined when the bytes end before it. Throws `BadEntry` for an impossible
 * length.
 */
export function entryAt(bytes: Buffer, at: number): { entry: Entry; end: number } | undefined {
  if (at + HEAD > bytes.length) return undefined;
  const length = bytes.readUInt32LE(at);
  if (length < FIXED || length > FIXED + PIECE)
    throw new BadEntry(`an entry of the binlog cannot have ${length} bytes`);
  const end = at + HEAD + length;
  if (end > bytes.length) return undefined;
  const entry: Entry = {
    checksum: bytes.readUInt32LE(at + 4),
    position: Number(bytes.readBigUInt64LE(at + HEAD)),
    lsn: Number(bytes.readBigUInt64LE(at + HEAD + 8)),
    timestamp: bytes.readBigUInt64LE(at + HEAD + 16),
    txnEnd: (bytes.readUInt8(at + HEAD + 24) & TXN_END) !== 0,
    value: bytes.subarray(at + HEAD + FIXED, end),
  };
  return { entry, end };
}

/**
 * Decodes entries from bytes, and checks each against the previous one. Throws `BadEntry` if one is damaged, missing,
 * or truncated.
 */
export function* checkedEntries(bytes: Buffer,
  after: { readonly position: number; readonly checksum: number }): Generator<Entry>
{
  let { position, checksum } = after;
  for (let at = 0; at < bytes.length;) {
    const found = entryAt(bytes, at);
    if (found === undefined) throw new BadEntry(`the entry of the binlog after ${position} is cut off`);
    const { entry, end } = found;
    if (entry.position !== position + 1)
      throw new BadEntry(`the binlog goes on with ${entry.position} after ${position}`);
    if (crc32(bytes.subarray(at + HEAD, end), checksum) !== entry.checksum)
      throw new BadEntry(`entry ${entry.position} of the binlog has another checksum than its content`);
    ({ position, checksum } = entry);
    yield entry;
    at = end;
  }
}
