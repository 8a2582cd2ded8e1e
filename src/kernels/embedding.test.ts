import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EmbeddingTwin, roundedTwin } from './embedding-twin.ts';
import { EmbeddingKernel, layTokenVectors, type TokenVectors } from './embedding.ts';

const TOKENS = ['[PAD]', '[UNK]', '[CLS]', 'the', 'cat', 'cats', '##s', '##t', 'c', '##a', '##at', 'a', '##b', '##bb',
  'nai', '##ve', '!', '.', '-', "'", '日', '本', 'の', '##の', 'ᄒ', '##ᅡ', '##ᆫ', 'σ', '##σ', 'ο', '##ο', 'i',
  '##stanbul', 'straße', 'x', '##x', '##xx', '#', '1', '##2', '##3', '£', '\u{2099d}', 'internationali', '##zation'];
const DIMS = 64;

/** A model of arbitrary numbers; special tokens have the weight 0. */
function modelOf(tokens: readonly string[]): TokenVectors {
  const vectors = Uint8Array.from({ length: tokens.length * DIMS },
    (_, i) => (Math.imul(i + 7, 2_654_435_761) >>> 13) & 0xff);
  const scales = Float32Array.from(tokens, (token, i) => (token.startsWith('[') ? 0 : 0.001 * (1 + (i % 9))));
  return { vocabulary: Buffer.from(`${tokens.join('\n')}\n`), vectors, scales: new Uint8Array(scales.buffer) };
}

const model = modelOf(TOKENS);
const piece = fc.oneof({
  weight: 8,
  arbitrary: fc.constantFrom('the', 'The', 'CATS', 'cat', 'abbb', 'c', 'Naïve', 'nai\u0308ve', 'İstanbul', 'ISTANBUL',
    'Straße', 'ΟΣ', '123', 'internationalization', 'x'.repeat(99), 'x'.repeat(100), 'x'.repeat(101), 'é'.repeat(100)),
}, {
  weight: 5,
  arbitrary: fc.constantFrom(' ', '\t', '\n', '\r\n', '\u00a0', '\u3000', '\u2028', '', '\u200d', '\u00ad', '\0',
    '\ufffd', '\u0007', '\u0301'),
}, {
  weight: 3,
  arbitrary: fc.constantFrom('!', '.', '-', "'", '…', '$', '£', '¿', '「', '#', '##s', '[UNK]', '\u037e'),
}, { weight: 2, arbitrary: fc.constantFrom('日本', 'の', '한', '\u{2099d}', '\uf900', '👍🏽', '\ud800', '\u{1d160}') }, {
  weight: 2,
  arbitrary: fc.string({ unit: 'binary', maxLength: 8 }),
});
const text = fc.array(piece, { maxLength: 40, size: 'max' }).map((pieces) => pieces.join(''));

describe.each(['release', 'debug'] as const)('sums of token vectors, %s build', (build) => {
  const twin = new EmbeddingTwin(model);
  const laid = layTokenVectors(model, build);
  const kernel = new EmbeddingKernel(laid, build);

  it('have the tokens and the vectors that the twin has', () => {
    fc.assert(fc.property(text, (given) => {
      expect([...kernel.tokens(given)]).toEqual(twin.tokens(given));
      const expected = twin.vector(given);
      const got = kernel.vector(given);
      if (got === undefined) expect(expected.every((value) => value === 0)).toBe(true);
      else for (const [i, value] of got.entries()) expect(value).toBeCloseTo(expected[i]!, 5);
    }), { numRuns: build === 'release' ? 600 : 100 });
  });

  it('are the same rounded, of a line and a text in bytes', () => {
    const line = text.map((given) => given.replaceAll('\n', ' '));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('', 'the cat', 'Naïve'), line, fc.boolean()), { minLength: 1, maxLength: 4 }),
        (given) => {
          for (const [context, body, between] of given) {
            const vector = kernel.vector(context === '' ? body : `${context}\n${body}`);
            if (between) kernel.tokens('cats');
            const rounded = kernel.rounded(context, Buffer.from(body));
            expect(rounded && new Uint8Array(rounded)).toEqual(vector && roundedTwin(vector));
          }
        },
      ),
      { numRuns: build === 'release' ? 300 : 60 },
    );
  });

  it('match texts as the twin does, whatever is embedded between', () => {
    const ids = fc.uniqueArray(fc.nat(TOKENS.length - 1), { maxLength: 12 });
    fc.assert(
      fc.property(ids, fc.array(ids, { maxLength: 4 }), fc.nat(4), fc.boolean(), (query, texts, first, embeds) => {
        kernel.vector('the cat');
        const match = (some: readonly number[][]) =>
          kernel.matches(Uint16Array.from(query),
            some.map((tokens) => ({ all: Uint16Array.from(tokens), lead: tokens.length >> 1 })));
        const meanOf = (tokens: readonly number[]) =>
          (twin.match(query, tokens) + twin.match(query, tokens.slice(0, tokens.length >> 1))) / 2;
        const before = match(texts.slice(0, first));
        if (embeds) kernel.vector('the dog');
        else kernel.tokens('the dog');
        const got = [...before, ...match(texts.slice(first))];
        expect(got).toHaveLength(texts.length);
        for (const [i, tokens] of texts.entries()) expect(got[i]).toBeCloseTo(meanOf(tokens), 5);
      }),
      { numRuns: build === 'release' ? 300 : 60 },
    );
    expect(kernel.matches(new Uint16Array(70).fill(3), [{ all: Uint16Array.of(3), lead: 1 }])[0]).toBeCloseTo(1, 5);
  });

  it('match texts with more tokens than a desk has space for their similarities', () => {
    const tokens = 2600;
    const many = modelOf(Array.from({ length: tokens }, (_, i) => (i === 0 ? '[UNK]' : `t${i}`)));
    const query = Array.from({ length: 64 }, (_, i) => i * 40 + 1);
    const texts = [0, 1, 2].map((turn) => Array.from({ length: tokens / 2 }, (_, i) => (i * 2 + turn) % tokens));
    const expected = new EmbeddingTwin(many);
    const got = new EmbeddingKernel(layTokenVectors(many, build), build).matches(Uint16Array.from(query),
      texts.map((text) => ({ all: Uint16Array.from(text), lead: text.length })));
    for (const [i, text] of texts.entries()) expect(got[i]).toBeCloseTo(expected.match(query, text), 5);
  });

  it('are made by several kernels over one memory', () => {
    const other = new EmbeddingKernel(laid, build);
    for (const given of ['the cat', 'cats!', '日本 한', 'the cat the cat']) {
      const [first, second] = [kernel.vector(given), other.vector(given)];
      expect(second).toEqual(first);
    }
    expect(kernel.vector('the')).not.toEqual(kernel.vector('cat'));
  });

  it('know a word of 100 characters and none that is longer', () => {
    expect(kernel.tokens('x'.repeat(100)).length).toBeGreaterThan(1);
    expect([...kernel.tokens('x'.repeat(101))]).toEqual([TOKENS.indexOf('[UNK]')]);
  });

  it('are of the beginning of texts that are too long', () => {
    const long = 'cat '.repeat(kernel.maxLength);
    expect(kernel.tokens(long)).toHaveLength(kernel.maxLength / 4);
    expect(kernel.tokens('日'.repeat(kernel.maxLength + 5))).toHaveLength(kernel.maxLength);
    expect(kernel.vector('the')).toBeDefined();
  });

  it('are undefined where no token has a weight', () => {
    for (const given of ['', '  ', '\u0301', '👍', '[CLS]'.slice(0, 0)]) expect(kernel.vector(given)).toBeUndefined();
  });
});

describe('a model', () => {
  it('is refused when its files do not belong together', () => {
    expect(() => layTokenVectors({ ...model, vectors: model.vectors.subarray(1) })).toThrow(RangeError);
    expect(() => layTokenVectors({ ...model, vocabulary: Buffer.from('[UNK]\nthe\n') })).toThrow(
      /expected a vocabulary of \d+ tokens, got 2/,
    );
  });
});
