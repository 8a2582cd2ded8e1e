import { crc32 } from 'node:zlib';

// Blocks of a file: u32 bytes, u32 CRC-32, bytes (little endian).

/** The maximum length of a block, in bytes; a greater length in a file means damage. */
const MAX_BLOCK = 1 << 28;

const HEAD = 8;

/** Encodes bytes as a block; the bytes are copied. */
export function block(bytes: Uint8Array): Buffer {
  return completed(copied(bytes));
}

/** A copy of bytes that `completed` makes a block without copying them again. */
export function copied(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafe(HEAD + bytes.length);
  copy.set(bytes, HEAD);
  return copy;
}

/** The block of bytes that `copied` has copied. */
export function completed(copy: Buffer): Buffer {
  copy.writeUInt32LE(copy.length - HEAD);
  copy.writeUInt32LE(crc32(copy.subarray(HEAD)), 4);
  return copy;
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Reads exact numbers of bytes, and blocks, from a stream of pieces. */
export class BlockReader {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #damage: (problem: string) => Error;
  #rest: Buffer = Buffer.alloc(0);

  /** `damage` makes the error that is thrown for a stream that ends early or a block that does not match its checksum. */
  constructor(source: AsyncIterable<Uint8Array>, damage: (problem: string) => Error) {
    this.#source = source[Symbol.asyncIterator]();
    this.#damage = damage;
  }

  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let missing = length;
    while (missing > 0) {
      if (this.#rest.length === 0) await this.#pull();
      const part = this.#rest.subarray(0, missing);
      parts.push(part);
      this.#rest = this.#rest.subarray(part.length);
      missing -= part.length;
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  async numbers(count: number): Promise<number[]> {
    const bytes = await this.take(count * 4);
    return Array.from({ length: count }, (_, i) => bytes.readUInt32LE(i * 4));
  }

  async block(): Promise<Buffer> {
    const [length, checksum] = await this.numbers(2);
    if (length! > MAX_BLOCK) throw this.#damage(`a block has at most ${MAX_BLOCK} bytes, got ${length}`);
    const bytes = await this.take(length!);
    if (crc32(bytes) !== checksum) throw this.#damage('a block is not what its checksum says');
    return bytes;
  }

  /** Reads a block directly into a given buffer, without an intermediate copy. A block of another length counts as damage. */
  async blockInto(target: Uint8Array): Promise<void> {
    const [length, checksum] = await this.numbers(2);
    if (length !== target.length) throw this.#damage(`a block of ${target.length} bytes should follow, got ${length}`);
    for (let at = 0; at < target.length;) {
      if (this.#rest.length === 0) await this.#pull();
      const part = this.#rest.subarray(0, target.length - at);
      target.set(part, at);
      this.#rest = this.#rest.subarray(part.length);
      at += part.length;
    }
    if (crc32(target) !== checksum) throw this.#damage('a block is not what its checksum says');
  }

  async #pull(): Promise<void> {
    const { done, value } = await this.#source.next();
    if (done === true) throw this.#damage('the checkpoint ends early');
    this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
}
