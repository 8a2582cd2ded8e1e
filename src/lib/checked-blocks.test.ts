import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { block, BlockReader, type DirectSource } from './checked-blocks.ts';

class Damage extends Error {}

/** A stream that arrives in pieces of the given sizes, which are repeated. */
async function* inPieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length]!;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** The same, also direct: each piece may be read into memory. */
class InMemory implements DirectSource {
  readonly #bytes: Uint8Array;
  readonly #sizes: readonly number[];
  #at = 0;
  #reads = 0;

  constructor(bytes: Uint8Array, sizes: readonly number[]) {
    this.#bytes = bytes;
    this.#sizes = sizes;
  }

  #next(): Uint8Array {
    const size = this.#sizes[this.#reads++ % this.#sizes.length]!;
    return this.#bytes.subarray(this.#at, this.#at + size);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (let piece = this.#next(); piece.length > 0; piece = this.#next()) {
      this.#at += piece.length;
      yield piece;
    }
  }

  async fill(buffers: readonly Uint8Array[]): Promise<number> {
    const piece = this.#next();
    let done = 0;
    for (const buffer of buffers) {
      const part = piece.subarray(done, done + buffer.length);
      buffer.set(part);
      done += part.length;
    }
    this.#at += done;
    return done;
  }
}

const directReaderOf = (bytes: Uint8Array, sizes = [7]): BlockReader =>
  new BlockReader(new InMemory(bytes, sizes), (problem) => new Damage(problem));
const readerOf = (bytes: Uint8Array, sizes = [7]): BlockReader =>
  new BlockReader(inPieces(bytes, sizes), (problem) => new Damage(problem));

describe('checked blocks', () => {
  it('come out as they went in, in whatever pieces they arrive', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), async (contents, sizes) => {
        const reader = readerOf(Buffer.concat(contents.map(block)), sizes);
        for (const content of contents) expect(await reader.block()).toEqual(Buffer.from(content));
        const other = readerOf(Buffer.concat(contents.map(block)), sizes);
        for (const content of contents) {
          const target = new Uint8Array(content.length);
          await other.blockInto(target);
          expect(target).toEqual(content);
        }
      }),
    );
  });

  it('are read directly into memory, also between others and into memory that threads share', async () => {
    const contents = fc.array(fc.record({
      bytes: fc.uint8Array({ maxLength: 40 }),
      into: fc.constantFrom('new' as const, 'given' as const, 'shared' as const),
    }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(contents, fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), async (blocks, sizes) => {
        const reader = directReaderOf(Buffer.concat(blocks.map(({ bytes }) => block(bytes))), sizes);
        for (const { bytes, into } of blocks) {
          const target = new Uint8Array(
            into === 'shared' ? new SharedArrayBuffer(bytes.length) : new ArrayBuffer(bytes.length),
          );
          if (into !== 'new') await reader.blockInto(target);
          expect(into === 'new' ? new Uint8Array(await reader.block()) : target).toEqual(bytes);
        }
        await expect(reader.take(1)).rejects.toThrow('ends early');
      }),
    );
  });

  it('are damaged when any bit differs, or when the stream ends early', async () => {
    const whole = block(Buffer.from('something'));
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const changed = Buffer.from(whole);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      await expect(readerOf(changed).block()).rejects.toThrow(Damage);
      for (const reader of [readerOf(changed), directReaderOf(changed)])
        await expect(reader.blockInto(new Uint8Array(9))).rejects.toThrow(Damage);
    }
    for (let length = 0; length < whole.length; length++) {
      await expect(readerOf(whole.subarray(0, length)).block()).rejects.toThrow(Damage);
      for (const make of [readerOf, directReaderOf])
        await expect(make(whole.subarray(0, length)).blockInto(new Uint8Array(9))).rejects.toThrow(Damage);
    }
    await expect(readerOf(whole).blockInto(new Uint8Array(8))).rejects.toThrow(
      'a block of 8 bytes should follow, got 9',
    );
  });
});
