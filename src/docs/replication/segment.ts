import { closeSync, fsyncSync, ftruncateSync, openSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { BadEntry, entryAt, MAX_ENTRY } from './entry.ts';
import type { Place } from './state.ts';

/**
 * A binlog is a folder of segments, which are named after the position before their first entry:
 *
 * "QUIREBL1" | position (u64) | LSN (u64) | checksum (u32) | history (32 letters) | CRC-32 of all this (u32) | entries
 * ...
 */
const MAGIC = 'QUIREBL1';
export const HEADER = 64;
const ENDING = '.binlog';
const READ = 256 * 1024;

/** The position that the first entry of a segment follows. */
export interface SegmentBase extends Place {
  readonly lsn: number;
}

export const pathOf = (folder: string, position: number): string =>
  join(folder, `${String(position).padStart(16, '0')}${ENDING}`);

/** Positions by which segments are named, in order. */
export function listSegments(folder: string): number[] {
  return readdirSync(folder).filter((name) => /^\d{16}\.binlog$/.test(name)).map((name) => Number(name.slice(0, 16)))
    .sort((a, b) => a - b);
}

export function removeSegments(folder: string, positions: readonly number[]): void {
  for (const position of positions) rmSync(pathOf(folder, position), { force: true });
}

/** Removes a segment outside the event loop, because removing a large one takes time. */
export async function removeSegment(folder: string, position: number): Promise<void> {
  await rm(pathOf(folder, position), { force: true });
}

/**
 * Creates a new segment and returns its descriptor, for writing at its end. The entry of its folder is on disk on
 * return. A failure leaves no file, which would prevent another attempt.
 */
export function createSegment(folder: string, base: SegmentBase): number {
  const header = Buffer.alloc(HEADER);
  header.write(MAGIC, 'latin1');
  header.writeBigUInt64LE(BigInt(base.position), 8);
  header.writeBigUInt64LE(BigInt(base.lsn), 16);
  header.writeUInt32LE(base.checksum, 24);
  header.write(base.history, 28, 'latin1');
  header.writeUInt32LE(crc32(header.subarray(0, HEADER - 4)), HEADER - 4);
  const path = pathOf(folder, base.position);
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    if (writeSync(descriptor, header) < HEADER) throw new Error(`the disk takes no more of ${path}`);
    fsyncSync(descriptor);
    syncFolder(folder);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    rmSync(path, { force: true });
    throw error;
  }
}

function syncFolder(folder: string): void {
  const directory = openSync(folder, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** Throws `BadEntry` when the file does not begin with the header of a segment. */
function readBase(descriptor: number): SegmentBase {
  const header = Buffer.alloc(HEADER);
  readSync(descriptor, header, 0, HEADER, 0);
  if (header.toString('latin1', 0, 8) !== MAGIC ||
    crc32(header.subarray(0, HEADER - 4)) !== header.readUInt32LE(HEADER - 4))
    throw new BadEntry('a segment of the binlog has no header');
  return {
    position: Number(header.readBigUInt64LE(8)),
    lsn: Number(header.readBigUInt64LE(16)),
    checksum: header.readUInt32LE(24),
    history: header.toString('latin1', 28, 60),
  };
}

/**
 * Reads the entries of a segment in pieces of complete ones, of about 256 KiB and in separate memory. Data that is
 * written after the limit meanwhile is ignored.
 */
export class SegmentReader {
  readonly base: SegmentBase;
  readonly #descriptor: number;
  #isClosed = false;
  #offset = HEADER;
  #position: number;
  #checksum: number;

  constructor(folder: string, base: number) {
    this.#descriptor = openSync(pathOf(folder, base), 'r');
    try {
      this.base = readBase(this.#descriptor);
    } catch (error) {
      closeSync(this.#descriptor);
      throw error;
    }
    this.#position = this.base.position;
    this.#checksum = this.base.checksum;
  }

  /** Start of the next piece. */
  get offset(): number {
    return this.#offset;
  }

  get position(): number {
    return this.#position;
  }

  get checksum(): number {
    return this.#checksum;
  }

  /** Entries up to a position, which is that of `last`; undefined when there are none (any more). Throws `BadEntry`. */
  next(
    limit: number,
  ): { readonly bytes: Buffer; readonly last: NonNullable<ReturnType<typeof entryAt>>['entry'] } | undefined {
    if (this.#position >= limit) return undefined;
    const buffer = Buffer.allocUnsafe(READ + MAX_ENTRY);
    const bytes = buffer.subarray(0, readSync(this.#descriptor, buffer, 0, buffer.length, this.#offset));
    let end = 0;
    let last: ReturnType<typeof entryAt>;
    for (let found = entryAt(bytes, 0); found !== undefined && found.entry.position <= limit && end < READ;
      found = entryAt(bytes, end))
    {
      last = found;
      end = found.end;
    }
    if (last === undefined) return undefined;
    this.#offset += end;
    this.#position = last.entry.position;
    this.#checksum = last.entry.checksum;
    return { bytes: bytes.subarray(0, end), last: last.entry };
  }

  /** A repeated call is harmless. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#descriptor);
  }
}

/** Truncates a segment, and returns a descriptor for writing at its end. */
export function reopenAt(folder: string, base: number, size: number): number {
  const descriptor = openSync(pathOf(folder, base), 'r+');
  ftruncateSync(descriptor, size);
  return descriptor;
}
