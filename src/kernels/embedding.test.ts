import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EmbeddingTwin, roundedTwin } from './embedding-twin.ts';
import { EmbeddingKernel, layPieceRows, layPieceWords, layTokenVectors, type TokenVectors,
  withDesk } from './embedding.ts';
import { PieceTwin } from './piece-twin.ts';

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

  it('are made by kernels that follow each other at one desk', () => {
    const shared = withDesk(laid);
    const bytes = laid.memory.buffer.byteLength;
    for (let i = 0; i < 3; i++)
      expect(new EmbeddingKernel(shared, build).vector('the cat')).toEqual(kernel.vector('the cat'));
    // The first one adds a page of characters.
    expect(laid.memory.buffer.byteLength).toBeLessThanOrEqual(bytes + 65_536);
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

const PIECES = ['\u2581', '\u2581the', '\u2581w', 'ort', 'w', 'o', 'r', 't', 'or', 'rt', '\u2581wort', 's', '\u2581ü',
  'ü', 'ber', '日', '本', '日本', '本語', '語', 'の', '.', '!', '1', '\u25811', '한', '국', '\u2581한국', 'न', 'म', '्',
  '\u{2099d}', 'ι', '\u2581ι', 'longestpieceofallofthem', 'l', 'longest', 'i', '-'];
/** Multiples of a quarter, so that some paths are equally probable. */
const SCORES = PIECES.map((_, i) => -((i * 7) % 12) / 4 - 1);
const WORDS = {
  vocabulary: Buffer.from(`${PIECES.map((piece, i) => `${piece}\t${SCORES[i]!.toFixed(3)}`).join('\n')}\n`),
  english: new Uint8Array(Int8Array.from(PIECES, (_, i) => ((i * 37) % 97) - 48).buffer),
};
const LEVELS = Array.from({ length: PIECES.length * DIMS }, (_, i) => (Math.imul(i + 3, 2_654_435_761) >>> 9) & 15);
const ROWS = {
  vectors: Uint8Array.from({ length: LEVELS.length / 2 }, (_, i) => LEVELS[2 * i]! | (LEVELS[2 * i + 1]! << 4)),
  scales: new Uint8Array(Float32Array.from(PIECES, (_, i) => 0.002 * (1 + (i % 5))).buffer),
};

describe.each(['release', 'debug'] as const)('pieces of words, %s build', (build) => {
  const twin = new PieceTwin(WORDS);
  const laid = layTokenVectors(model, build, { pieces: PIECES.length, vocabularyBytes: WORDS.vocabulary.length });
  const kernel = new EmbeddingKernel(laid, build);
  const states = [[kernel.hasPieces, kernel.hasPieceRows]];
  layPieceWords(laid, WORDS, build);
  states.push([kernel.hasPieces, kernel.hasPieceRows]);
  layPieceRows(laid, ROWS, build);
  states.push([kernel.hasPieces, kernel.hasPieceRows]);

  const part = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...PIECES) }, {
    weight: 2,
    arbitrary: fc.constantFrom('The ', 'WORT', 'Über', '日本語の', ' ', '\u00ad', '\u064b', '\u3000', 'ｗ', 'İ', '½',
      '\ud800', 'ﬁ', '\u{10348}', 'ꙮ', '👍', 'Σ', 'longestpiece', '한국말'),
  }, { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) });
  const given = fc.array(part, { maxLength: 30, size: 'max' }).map((parts) => parts.join(''));

  it('can be added to a model that is in use, first the words and then the rows', () => {
    expect(states).toEqual([[false, false], [true, false], [true, true]]);
  });

  it('are those of the twin, and say the same about the language', () => {
    fc.assert(fc.property(given, fc.boolean(), (some, first) => {
      if (first) expect(kernel.evidence(some)).toEqual(twin.evidence(some));
      expect([...kernel.pieces(some)]).toEqual(twin.pieces(some).map((id) => id + TOKENS.length));
      expect(kernel.evidence(some)).toEqual(twin.evidence(some));
    }), { numRuns: build === 'release' ? 800 : 150 });
  });

  it('have vectors, beside those of tokens', () => {
    const scales = new Float32Array(ROWS.scales.buffer);
    fc.assert(fc.property(given, text, (some, other) => {
      const sum = new Float64Array(DIMS);
      const counts = Map.groupBy(twin.pieces(some), (id) => id);
      for (const [id, { length }] of counts)
        for (let i = 0; i < DIMS; i++) sum[i]! += Math.sqrt(length) * scales[id]! * (LEVELS[id * DIMS + i]! - 8);
      const size = Math.hypot(...sum);
      const before = kernel.vector(other);
      const got = kernel.pieceVector(some);
      for (const [i, value] of (got ?? new Float32Array(DIMS)).entries())
        expect(value).toBeCloseTo(size === 0 ? 0 : sum[i]! / size, 5);
      expect(kernel.vector(other)).toEqual(before);
    }), { numRuns: build === 'release' ? 200 : 40 });
  });

  it('are compared with tokens', () => {
    const [piece] = kernel.pieces('日本');
    const [token] = kernel.tokens('cat');
    const rowOf = (id: number) => LEVELS.slice(id * DIMS, (id + 1) * DIMS).map((level) => level - 8);
    const a = rowOf(piece! - TOKENS.length);
    const b = new Int8Array(model.vectors.slice(token! * DIMS, (token! + 1) * DIMS).buffer);
    const product = a.reduce((sum, value, i) => sum + value * b[i]!, 0);
    const [got] = kernel.matches([piece!], [{ all: [token!], lead: 1 }]);
    expect(got).toBeCloseTo(Math.max(0, product / Math.hypot(...a) / Math.hypot(...b)), 5);
    expect(kernel.matches([token!], [{ all: [piece!], lead: 1 }])[0]).toBeCloseTo(got!, 5);
  });

  it('are those of the first 100,000 units of a text', () => {
    expect(kernel.pieces('日'.repeat(100_001))).toHaveLength(100_000);
    expect(kernel.pieces('\ufdfa'.repeat(100_000)).length).toBeLessThan(100_000);
  });
});

describe('a model', () => {
  it('has no space for other pieces than it was laid for', () => {
    const space = { pieces: PIECES.length, vocabularyBytes: WORDS.vocabulary.length };
    const laid = layTokenVectors(model, 'debug', space);
    expect(() => layPieceWords(laid, { ...WORDS, english: WORDS.english.subarray(1) })).toThrow(RangeError);
    expect(() => layPieceRows(laid, { ...ROWS, scales: ROWS.scales.subarray(4) })).toThrow(RangeError);
  });

  it('is refused when its files do not belong together', () => {
    expect(() => layTokenVectors({ ...model, vectors: model.vectors.subarray(1) })).toThrow(RangeError);
    expect(() => layTokenVectors({ ...model, vocabulary: Buffer.from('[UNK]\nthe\n') })).toThrow(
      /expected a vocabulary of \d+ tokens, got 2/,
    );
  });
});
