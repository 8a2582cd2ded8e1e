import fc from 'fast-check';
import { cp, mkdtemp, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EmbeddingKernel } from '../../kernels/embedding.ts';
import { EmbeddingError } from '../provider.ts';
import { usableVectors, VectorSize } from '../usable-vector.ts';
import { mayBeEnglish, StaticProvider } from './static-provider.ts';
import { decodeTokens, encodeTokens } from './token-codes.ts';
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

  it('has the pieces, the evidence of English and nearly the vectors of the published rows of other languages', async () => {
    interface Pieces extends Expected {
      readonly evidence: number;
    }
    const published = JSON.parse(await readFile(join(MODELS, 'static-multi-256', 'expected.json'), 'utf8')) as Pieces[];
    const kernel = new EmbeddingKernel(await tokenModel('rows'));
    const { tokens: first } = await tokenModel();
    for (const { text, tokens, vector, evidence } of published) {
      expect([...kernel.pieces(text)], text).toEqual(tokens.map((id) => first + id));
      expect(kernel.evidence(text).english ?? -999, text).toBe(evidence);
      // They were published in 8 bits and are shipped in 4.
      const got = kernel.pieceVector(text);
      if (tokens.length === 0) expect(got).toBeUndefined();
      else expect(dot(got!, Float32Array.from(vector)), text).toBeGreaterThan(0.97);
    }
  });

  it('finds texts alike that say the same in different languages', async () => {
    const texts = ['How do I cancel a fetch request?', 'Wie breche ich eine Anfrage ab?',
      'リクエストをキャンセルする方法', 'Как отменить запрос?', '如何取消请求？', 'Comment annuler une requête ?'];
    for (const text of texts.slice(1)) {
      expect(await similarity(texts[0]!, text), text).toBeGreaterThan(
        await similarity('rye bread with butter', text) + 0.15,
      );
    }
  });

  it('embeds a text that is known to be English as it always was, and others by their pieces', async () => {
    const kernel = new EmbeddingKernel(await tokenModel('rows'));
    const embed = async (text: string, isEnglish?: boolean) =>
      (await provider.embed([text], 'document', undefined, [isEnglish]))[0];
    const german = 'Wie breche ich eine Anfrage ab?';
    expect(await embed(german, true)).toEqual(kernel.vector(german));
    expect(await embed(german)).toEqual(kernel.pieceVector(german));
    expect(await embed('the dogs of the house')).toEqual(kernel.vector('the dogs of the house'));
    expect(await embed('the dogs of the house', false)).toEqual(kernel.pieceVector('the dogs of the house'));
    // A text that may be either has some of both.
    const unsure = 'Berlin';
    const { english } = kernel.evidence(unsure);
    expect(english).toBeGreaterThan(-72);
    expect(english).toBeLessThan(-24);
    const between = await embed(unsure);
    for (const one of [kernel.vector(unsure)!, kernel.pieceVector(unsure)!])
      expect(dot(between!, one)).toBeLessThan(0.999);
  });

  it('compares texts in a script that it does not know by their spelling', async () => {
    expect(await similarity('தமிழ் மொழி', 'தமிழ் நாடு')).toBeGreaterThan(0.3);
    expect(Math.abs(await similarity('தமிழ் மொழி', 'ქართული ენა'))).toBeLessThan(0.3);
  });

  it('compares tokens of both', async () => {
    const { tokensOf, matches } = await provider.matcher();
    const { all: query } = await tokensOf(['cancel request']);
    const [near, far] = await Promise.all([tokensOf(['Anfrage abbrechen', 'und mehr'], false),
      tokensOf(['Roggenbrot mit Butter'], false)]);
    expect(near.lead).toBeLessThan(near.all.length);
    const [first, second] = matches(query, [near, far]);
    expect(first).toBeGreaterThan(second! + 0.1);
  });

  it('says which file is missing or damaged', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quire-model-'));
    try {
      const url = pathToFileURL(`${folder}/`);
      await expect(tokenModel(undefined, url)).rejects.toThrow(
        /static-en-256 can't be read: .*install the package again/,
      );
      await cp(join(MODELS, 'static-en-256'), join(folder, 'static-en-256'), { recursive: true });
      await truncate(join(folder, 'static-en-256', 'vectors.i8'), 1000);
      await expect(tokenModel(undefined, url)).rejects.toThrow(/vectors\.i8 is damaged: expected the SHA-256 4846/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

it('ids of tokens are encoded in 16 bits', () => {
  const ids = fc.uniqueArray(fc.oneof(fc.nat(131_069), fc.constantFrom(0, 65_534, 65_535, 65_536)), { maxLength: 20 });
  fc.assert(fc.property(ids, fc.nat(20), (all, some) => {
    const lead = all.slice(0, some);
    const codes = { all: encodeTokens(new Set(all)), lead: encodeTokens(new Set(lead)).length };
    const decoded = decodeTokens(codes);
    expect([Array.from(decoded.all), decoded.lead]).toEqual([all, lead.length]);
  }));
});

describe('whether a text may be English', () => {
  it.each(['How do I cancel a request?', 'Berlin', 'Kubernetes', '404', 'E1234', 'fetch()', '!', 'addEventListener'])(
    'is true of %j',
    async (text) => {
      expect(await mayBeEnglish(text)).toBe(true);
    },
  );

  it.each(['Wie breche ich eine Anfrage ab?', 'comment annuler une requête', 'リクエストをキャンセルする',
    'отменить запрос', 'como cancelar uma solicitação', 'การยกเลิกคำขอ', 'cómo cancelar una solicitud'])(
      'is false of %j',
      async (text) => {
        expect(await mayBeEnglish(text)).toBe(false);
      },
    );
});
