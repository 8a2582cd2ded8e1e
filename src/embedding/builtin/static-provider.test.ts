import fc from 'fast-check';
import { cp, mkdtemp, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EmbeddingKernel } from '../../kernels/embedding.ts';
import { EmbeddingError } from '../provider.ts';
import { usableVectors, VectorSize } from '../usable-vector.ts';
import { StaticProvider } from './static-provider.ts';
import { tokenModel } from './token-model.ts';

const MODELS = fileURLToPath(new URL('../../../models/', import.meta.url));
const provider = new StaticProvider();
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

async function similarity(a: string, b: string): Promise<number> {
  const [first, second] = await provider.embed([a, b], 'document');
  return dot(first!, second!);
}

interface Expected {
  readonly text: string;
  readonly tokens: readonly number[];
  readonly vector: readonly number[];
}

describe('the model static-en-256', () => {
  it('has the tokens and the vectors that its publishers measured', async () => {
    const expected = JSON.parse(await readFile(join(MODELS, 'static-en-256', 'expected.json'), 'utf8')) as Expected[];
    const kernel = new EmbeddingKernel(await tokenModel());
    for (const { text, tokens, vector } of expected) {
      expect([...kernel.tokens(text)], text).toEqual(tokens);
      const got = kernel.vector(text) ?? new Float32Array(vector.length);
      for (const [i, value] of vector.entries()) expect(Math.abs(got[i]! - value), text).toBeLessThan(1e-4);
    }
  });

  it('returns a usable vector of length 1 for every text but a blank one, the same each time and in each batch', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 }).filter((each) => each.trim() !== '');
    await fc.assert(fc.asyncProperty(text, async (each) => {
      const vectors = await provider.embed([each, 'something else', each], 'query');
      usableVectors(vectors, 3, new VectorSize(256, 256), 'builtin');
      // Compared as bytes, which is a hundred times faster.
      expect(Buffer.from(vectors[2]!.buffer).equals(Buffer.from(vectors[0]!.buffer))).toBe(true);
      expect(dot(vectors[0]!, vectors[0]!)).toBeCloseTo(1, 5);
    }), { numRuns: 30 });
  });

  it('finds texts alike that say the same in other words', async () => {
    expect(await similarity('cancel a request', 'abort an HTTP call')).toBeGreaterThan(
      await similarity('cancel a request', 'rye bread with butter') + 0.2,
    );
    expect(await similarity('my dog is ill', 'a sick puppy')).toBeGreaterThan(0.4);
  });

  it('distinguishes texts none of whose tokens it knows', async () => {
    expect(await similarity('👍👍', '👍👍')).toBeCloseTo(1, 5);
    expect(Math.abs(await similarity('👍', '🚀'))).toBeLessThan(0.5);
  });

  it('can be cancelled, and closed', async () => {
    await expect(provider.embed(['a'], 'query', AbortSignal.abort())).rejects.toThrow('cancelled');
    const stop = new AbortController();
    const call = provider.embed(Array<string>(64).fill('some words '.repeat(5000)), 'document', stop.signal);
    stop.abort();
    await expect(call).rejects.toThrow('cancelled');
    const other = new StaticProvider();
    await other.close();
    await expect(other.embed(['a'], 'query')).rejects.toThrow('closed');
    await expect(provider.embed([' '], 'query')).rejects.toThrow(EmbeddingError);
  });

  it('says which file is missing or damaged', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quire-model-'));
    try {
      const url = pathToFileURL(`${folder}/`);
      await expect(tokenModel(url)).rejects.toThrow(/static-en-256 can't be read: .*install the package again/);
      await cp(join(MODELS, 'static-en-256'), join(folder, 'static-en-256'), { recursive: true });
      await truncate(join(folder, 'static-en-256', 'vectors.i8'), 1000);
      await expect(tokenModel(url)).rejects.toThrow(/vectors\.i8 is damaged: expected the SHA-256 4846/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
