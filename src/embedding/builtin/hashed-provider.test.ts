import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EmbeddingError } from '../provider.ts';
import { usableVectors, VectorSize } from '../usable-vector.ts';
import { HashedProvider } from './hashed-provider.ts';

const provider = new HashedProvider();
const embed = async (...texts: string[]) => provider.embed(texts, 'document');
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

async function similarity(a: string, b: string): Promise<number> {
  const [first, second] = await embed(a, b);
  return dot(first!, second!);
}

describe('the model hashed-ngrams', () => {
  it('returns every text but a blank one a usable vector of length 1, the same each time', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 }).filter((each) => each.trim() !== '');
    await fc.assert(fc.asyncProperty(text, async (each) => {
      const vectors = await embed(each, each);
      usableVectors(vectors, 2, new VectorSize(768, 768), 'builtin');
      expect(vectors[0]).toEqual(vectors[1]);
      expect(dot(vectors[0]!, vectors[0]!)).toBeCloseTo(1, 5);
    }));
  });

  it('finds texts alike that share words', async () => {
    const close = await similarity('how to bake bread with rye flour', 'baking rye bread');
    const far = await similarity('how to bake bread with rye flour', 'the engine of a steam locomotive');
    expect(close).toBeGreaterThan(0.4);
    expect(Math.abs(far)).toBeLessThan(0.2);
  });

  it('looks past case, width, punctuation and the order of words', async () => {
    expect(await similarity('Rye Bread!', 'bread, rye')).toBeCloseTo(1, 5);
    expect(await similarity('ｒｙｅ', 'rye')).toBeCloseTo(1, 5);
  });

  it('compares scripts without spaces by pairs of characters', async () => {
    expect(await similarity('東京都の天気', '東京の天気予報')).toBeGreaterThan(
      await similarity('東京都の天気', '量子力学入門'),
    );
    expect(await similarity('東京都の天気', '東京の天気予報')).toBeGreaterThan(0.3);
  });

  it('embeds a text of a million characters, of which the beginning counts', async () => {
    const [long] = await embed('rye bread '.repeat(100_000));
    expect(dot(long!, (await embed('rye bread'))[0]!)).toBeGreaterThan(0.99);
  });

  it('can be cancelled between texts, and closed', async () => {
    const stop = new AbortController();
    const call = provider.embed(Array<string>(64).fill('text'), 'document', stop.signal);
    stop.abort();
    await expect(call).rejects.toThrow('cancelled');
    const other = new HashedProvider();
    await other.close();
    await expect(other.embed(['a'], 'query')).rejects.toThrow('closed');
    await expect(provider.embed([' '], 'query')).rejects.toThrow(EmbeddingError);
  });
});
