import { describe, expect, it } from 'vitest';
import { restoreEach, saved } from './saved-indexes.ts';

async function* of(...pieces: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}

const INDEXES = () => new Map([['first', of('one', 'two')], ['none', of()], ['last', of('three')]]);
const written = async (): Promise<Buffer> => Buffer.concat(await Array.fromAsync(saved(INDEXES())));

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('the checkpoint of several indexes', () => {
  it.each([1, 2, 7, 1000])('returns each with its pieces, from pieces of %i bytes', async (size) => {
    const found: [string, string][] = [];
    await restoreEach(inPieces(await written(), size), async (name, pieces) => {
      found.push([name, Buffer.concat(await Array.fromAsync(pieces)).toString()]);
    });
    expect(found).toEqual([['first', 'onetwo'], ['none', ''], ['last', 'three']]);
  });

  it('goes on behind an index that does not read all of its pieces', async () => {
    const found: string[] = [];
    await restoreEach(inPieces(await written(), 5), async (name, pieces) => {
      for await (const piece of pieces) {
        found.push(`${name} ${Buffer.from(piece).toString()}`);
        break;
      }
    });
    expect(found).toEqual(['first one', 'last three']);
  });

  it('is refused where it breaks off', async () => {
    const bytes = await written();
    for (let end = 0; end < bytes.length; end++) {
      await expect(restoreEach(inPieces(bytes.subarray(0, end), 4), async (_, pieces) => {
        await Array.fromAsync(pieces);
      })).rejects.toThrow('ends too early');
    }
  });
});
