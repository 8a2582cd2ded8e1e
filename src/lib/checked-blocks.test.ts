import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { block, BlockReader } from './checked-blocks.ts';

class Damage extends Error {}

/** A stream that arrives in pieces of the given sizes, which are repeated. */
async function* inPieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length]!;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

const readerOf = (bytes: Uint8Array, sizes = [7]): BlockReader => new BlockReader(inPieces(bytes, sizes), (problem) => new Damage(problem));

describe('checked blocks', () => {
  it('come out as they went in, in whatever pieces they arrive', async () => {
    await fc.assert(fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 5 }), fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), async (contents, sizes) => {
      const reader = readerOf(Buffer.concat(contents.map(block)), sizes);
      for (const content of contents) expect(await reader.block()).toEqual(Buffer.from(content));
      const other = readerOf(Buffer.concat(contents.map(block)), sizes);
      for (const content of contents) {
        const target = new Uint8Array(content.length);
        await other.blockInto(target);
        expect(target).toEqual(content);
      }
    }));
  });

  it('are damaged when any bit differs, or when the stream ends early', async () => {
    const whole = block(Buffer.from('something'));
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const changed = Buffer.from(whole);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      await expect(readerOf(changed).block()).rejects.toThrow(Damage);
      await expect(readerOf(changed).blockInto(new Uint8Array(9))).rejects.toThrow(Damage);
    }
    for (let length = 0; length < whole.length; length++) {
      await expect(readerOf(whole.subarray(0, length)).block()).rejects.toThrow(Damage);
      await expect(readerOf(whole.subarray(0, length)).blockInto(new Uint8Array(9))).rejects.toThrow(Damage);
    }
    await expect(readerOf(whole).blockInto(new Uint8Array(8))).rejects.toThrow('a block of 8 bytes should follow, got 9');
  });
});
