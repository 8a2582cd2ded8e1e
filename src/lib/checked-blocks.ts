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

/** Pieces that can also be read into given memory, so that nothing is copied, and no garbage is made of a gigabyte. */
export interface DirectSource extends AsyncIterable<Uint8Array> {
  /**
   * Fills buffers, one after the other, with what follows the last piece; returns the number of bytes, which is 0 at
   * the end only.
   */
  fill(buffers: readonly Uint8Array[]): Promise<number>;
}

/** Reads exact numbers of bytes, and blocks, from a stream of pieces. */
export class BlockReader {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #direct: DirectSource | undefined;
  readonly #damage: (problem: string) => Error;
  readonly #head = Buffer.alloc(HEAD);
  #rest: Buffer = Buffer.alloc(0);

  /**
   * `damage` makes the error that is thrown for a stream that ends early or a block that does not match its checksum.
   */
  constructor(source: AsyncIterable<Uint8Array> | DirectSource, damage: (problem: string) => Error) {
    this.#source = source[Symbol.asyncIterator]();
    this.#direct = 'fill' in source ? source : undefined;
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

  /**
   * Reads a block into a given buffer, without a copy if the source is direct. A block of another length counts as
   * damage.
   */
  async blockInto(target: Uint8Array): Promise<void> {
    await this.#fill([this.#head, target]);
    const length = this.#head.readUInt32LE();
    if (length !== target.length) throw this.#damage(`a block of ${target.length} bytes should follow, got ${length}`);
    if (crc32(target) !== this.#head.readUInt32LE(4)) throw this.#damage('a block is not what its checksum says');
  }

  /** Fills buffers with the rest of the last piece and what follows it. */
  async #fill(buffers: readonly Uint8Array[]): Promise<void> {
    // Files are not read into memory that threads share.
    const direct = buffers.every(({ buffer }) => buffer instanceof ArrayBuffer) ? this.#direct : undefined;
    for (let left = buffers; left.length > 0;) {
      if (this.#rest.length === 0 && direct !== undefined) {
        const filled = await direct.fill(left);
        if (filled === 0) throw this.#endsEarly();
        left = withoutFirst(left, filled);
        continue;
      }
      if (this.#rest.length === 0) await this.#pull();
      const part = this.#rest.subarray(0, left[0]!.length);
      left[0]!.set(part);
      this.#rest = this.#rest.subarray(part.length);
      left = withoutFirst(left, part.length);
    }
  }

  async #pull(): Promise<void> {
    const { done, value } = await this.#source.next();
    if (done === true) throw this.#endsEarly();
    this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }

  #endsEarly(): Error {
    return this.#damage('the checkpoint ends early');
  }
}

/** What is left of buffers whose first bytes are filled; empty ones count as filled. */
function withoutFirst(buffers: readonly Uint8Array[], bytes: number): Uint8Array[] {
  const left: Uint8Array[] = [];
  for (const buffer of buffers) {
    const filled = Math.min(bytes, buffer.length);
    bytes -= filled;
    if (filled < buffer.length) left.push(buffer.subarray(filled));
  }
  return left;
}
