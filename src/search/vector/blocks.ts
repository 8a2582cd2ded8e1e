import { crc32 } from 'node:zlib';
import { VectorCheckpointError } from './errors.ts';

// Blocks of a checkpoint: u32 bytes, u32 CRC-32, bytes (little endian).

/** No block is longer; a length beyond it is damage. */
const MAX_BLOCK = 1 << 28;

/** Bytes as a block; they are copied. */
export function block(bytes: Uint8Array): Buffer {
  return Buffer.concat([u32(bytes.length), u32(crc32(bytes)), bytes]);
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Takes exact numbers of bytes from a stream of pieces. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
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
    if (length! > MAX_BLOCK) throw new VectorCheckpointError(`a block has at most ${MAX_BLOCK} bytes, got ${length}`);
    const bytes = await this.take(length!);
    if (crc32(bytes) !== checksum) throw new VectorCheckpointError('a block is not what its checksum says');
    return bytes;
  }

  async #pull(): Promise<void> {
    const { done, value } = await this.#source.next();
    if (done === true) throw new VectorCheckpointError('the checkpoint ends early');
    this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
}
