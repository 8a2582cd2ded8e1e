import { inflateRawSync } from 'node:zlib';
import { ConversionError } from './contract.ts';
import { MAX_ENTRIES, MAX_RATIO, MAX_UNPACKED, RATIO_FREE } from './limits.ts';

interface Entry {
  readonly method: number;
  readonly encrypted: boolean;
  readonly packed: number;
  readonly offset: number;
}

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_SIZE = 22;
const MAX_COMMENT = 0xffff;
const STORED = 0;
const DEFLATED = 8;

/**
 * A ZIP archive in memory (PKWARE APPNOTE 6.3.10). Only the requested entries are unpacked, one at a time. The inflater
 * itself enforces the size limit, so the sizes that the archive states are not relied on; archives inside archives stay
 * packed.
 */
export class Archive {
  readonly #bytes: Buffer;
  readonly #entries: ReadonlyMap<string, Entry>;
  #left = MAX_UNPACKED;

  /** @throws ConversionError `damaged` if there is no readable directory, `too_large` if there are too many entries */
  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#entries = readDirectory(this.#bytes);
  }

  get names(): string[] {
    return [...this.#entries.keys()];
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** Returns the bytes of an entry, or undefined if there is none. @throws ConversionError */
  read(name: string): Buffer | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    if (entry.encrypted) throw new ConversionError('encrypted', 'is encrypted with a password');
    const bytes = this.#unpack(entry, name);
    this.#left -= bytes.length;
    if (bytes.length > RATIO_FREE && bytes.length > MAX_RATIO * Math.max(entry.packed, 1))
      throw bomb(`${name} unpacks to more than ${MAX_RATIO} times its size`);
    return bytes;
  }

  #unpack(entry: Entry, name: string): Buffer {
    const packed = this.#packedBytes(entry, name);
    if (entry.method === STORED && packed.length <= this.#left) return packed;
    if (entry.method !== STORED && entry.method !== DEFLATED)
      throw damaged(`${name} is packed by a method (${entry.method}) that documents do not use`);
    // The ratio is checked here already, so that a bomb is refused before it is unpacked.
    const most = Math.min(this.#left, Math.max(RATIO_FREE, MAX_RATIO * packed.length) + 1);
    if (most <= 0 || entry.method === STORED) throw bomb('its parts');
    try {
      return inflateRawSync(packed, { maxOutputLength: most });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw bomb(name);
      throw damaged(`${name} cannot be unpacked`);
    }
  }

  #packedBytes(entry: Entry, name: string): Buffer {
    const bytes = this.#bytes;
    if (entry.offset + 30 > bytes.length || bytes.readUInt32LE(entry.offset) !== LOCAL)
      throw damaged(`${name} is not where the archive says`);
    const start = entry.offset + 30 + bytes.readUInt16LE(entry.offset + 26) + bytes.readUInt16LE(entry.offset + 28);
    if (start + entry.packed > bytes.length) throw damaged(`${name} is cut off`);
    return bytes.subarray(start, start + entry.packed);
  }
}

function readDirectory(bytes: Buffer): Map<string, Entry> {
  const end = findEnd(bytes);
  const count = bytes.readUInt16LE(end + 10);
  if (count > MAX_ENTRIES)
    throw new ConversionError('too_large',
      `is an archive of ${count.toLocaleString('en-US')} entries; at most ${
        MAX_ENTRIES.toLocaleString('en-US')
      } are read`);
  const entries = new Map<string, Entry>();
  let at = bytes.readUInt32LE(end + 16);
  for (let i = 0; i < count; i += 1) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== CENTRAL)
      throw damaged('the directory of its archive is cut off');
    const nameLength = bytes.readUInt16LE(at + 28);
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength).replaceAll('\\', '/');
    // If two entries have the same name, editors show the first.
    if (!entries.has(name)) {
      entries.set(name, {
        encrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
        method: bytes.readUInt16LE(at + 10),
        packed: bytes.readUInt32LE(at + 20),
        offset: bytes.readUInt32LE(at + 42),
      });
    }
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

function findEnd(bytes: Buffer): number {
  for (let at = bytes.length - END_SIZE; at >= Math.max(0, bytes.length - END_SIZE - MAX_COMMENT); at -= 1) {
    if (bytes.readUInt32LE(at) === END) return at;
  }
  throw damaged('the directory of its archive is missing; the file may be cut off');
}

function damaged(detail: string): ConversionError {
  return new ConversionError('damaged', `is damaged: ${detail}`);
}

function bomb(what: string): ConversionError {
  return new ConversionError('too_large',
    `unpacks to too much (${what}); at most ${
      MAX_UNPACKED / 2 ** 20
    } MiB and ${MAX_RATIO} times the packed size are read`);
}
