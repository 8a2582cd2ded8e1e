import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenize } from '../../text/tokenize.ts';
import { InvertedIndex, MAX_NAMED_FIELDS, type Query, SHARED_FIELD } from './index.ts';

/** The elements of the tokeniser's rules. */
const piece = fc.oneof({
  weight: 6,
  arbitrary: fc.constantFrom('word', 'Wörter', "don't", 'l’avion', "'", '’', '3.14', '2.', '.', '1.2.3', ' ', ' ', '-',
    '_', '/', 'ß', 'ς', 'Σ', 'İ', 'ı', 'ﬁ', '½', '①', 'Ⅷ', '²', '٣', '१२', '\u00ad', '\u200d', '\u200b', '\ufe0f',
    '\u0301', 'e\u0301', '한국어', 'ㅋㅋ', '日本語', 'ไทย', 'カタカナ', 'ﾊﾝｶｸ', 'ＡＢＣ１２', '😀', '𝒳', 'ʼ', '＇', 'ъ',
    'Ё', 'ῼ', 'ǅ', '\0', '\n', 'c', 'C++', 'f#', '+', '#', '.NET', 'NET', '.net', 'Aa', "'s"),
}, fc.string({ unit: 'binary', maxLength: 4 }), fc.string({ unit: 'grapheme', maxLength: 4 }),
  fc.constantFrom('x'.repeat(255), 'é'.repeat(130), '語'.repeat(90), '\ud800'));
const text = fc.array(piece, { maxLength: 25, size: 'max' }).map((pieces) => pieces.join(''));

/**
 * Words, joiners and a few non-ASCII code points, at all positions relative to each other and to the 64 bytes that are
 * processed together.
 */
const windows = fc.array(fc.oneof({ weight: 6, arbitrary: fc.stringMatching(/^[a-zA-Z0-9]{1,9}$/) }, {
  weight: 3,
  arbitrary: fc.constantFrom(' ', ' ', "'", '.', '-', "'.", '\n', "'é", '.٣', "é'e", '٣.5', ' c++', ' F#', '+', '#',
    'c#é', '.NET', 'A.NET', 'a.NET'),
}, { weight: 1, arbitrary: fc.constantFrom('é', '’', '٣', '—', '😀', '\u200d', '@', '[', '`', '{', '/', ':') }, {
  weight: 1,
  arbitrary: fc.nat(70).map((length) => 'x'.repeat(length)),
}), { maxLength: 80, size: 'max' }).map((pieces) => pieces.join(''));

/** The document's tokens as one exact phrase. */
function asPhrase(index: InvertedIndex, tokens: readonly { form: string; position: number }[]): Query {
  return {
    kind: 'phrase',
    words: tokens.map(({ form, position }) => ({ forms: [{ id: index.form(form)! }], offset: position })),
  };
}

describe.each(['release', 'debug'] as const)('documents, %s build', (build) => {
  const matches = (index: InvertedIndex, query: Query) =>
    index.search(query, { algorithm: { kind: 'bm25' }, limit: 10 }).hits.map(({ ord }) => ord).sort();

  it('have the tokens that the definition says, at its positions', () => {
    fc.assert(fc.property(text, fc.constantFrom(1, 2, 9, 60, undefined), (value, additionStep) => {
      const tokens = tokenize(value);
      const index = new InvertedIndex({ build, ...(additionStep !== undefined && { additionStep }) });
      index.add(3, [{ field: 0, text: value }]);
      expect(index.stats().tokens).toBe(tokens.length);
      for (const { form } of tokens) expect(index.form(form)).toBeGreaterThan(0);
      if (tokens.length > 0) expect(matches(index, asPhrase(index, tokens))).toEqual([3]);
      for (const { form } of tokens)
        expect(index.frequency(index.form(form)!, 3)).toBe(tokens.filter((token) => token.form === form).length);
    }), { numRuns: build === 'debug' ? 100 : 250 });
  });

  it('have them wherever a word stands, starts, ends and joins', () => {
    fc.assert(fc.property(windows, fc.constantFrom(7, undefined), (value, additionStep) => {
      const index = new InvertedIndex({ build, ...(additionStep !== undefined && { additionStep }) });
      index.add(3, [{ field: 0, text: value }]);
      const tokens = tokenize(value);
      expect(index.prefix('', 1000).map((id) => index.textOf(id)).sort()).toEqual(
        [...new Set(tokens.map(({ form }) => form))].sort(),
      );
      if (tokens.length > 0) expect(matches(index, asPhrase(index, tokens))).toEqual([3]);
    }), { numRuns: build === 'debug' ? 100 : 250 });
  });

  it('have them wherever a joiner comes in the bytes that are looked at together', () => {
    const index = new InvertedIndex({ build });
    const ends = ["'b", "'é", "'", "''b", '.5', '.٣', '5.5', '5.x', '’s', 'é', ' b', '\u200db'];
    const texts = [0, 1, 30].flatMap((before) =>
      Array.from({ length: 72 - before }, (_, n) => `${' '.repeat(before)}${'x'.repeat(n)}`)
    ).flatMap((start) => ends.flatMap((end) => [start + end, `${start}1${end} c`]));
    for (const [ord, value] of texts.entries()) index.add(ord, [{ field: 0, text: value }]);
    expect(index.stats().tokens).toBe(texts.reduce((sum, value) => sum + tokenize(value).length, 0));
    for (const [ord, value] of texts.entries())
      for (const { form } of tokenize(value)) expect(index.frequency(index.form(form)!, ord), value).toBeGreaterThan(0);
  });

  it('count words that come again after very many others, however they were written', () => {
    const words = Array.from({ length: 6000 }, (_, i) => `w${i}`);
    const index = new InvertedIndex({ build });
    for (const ord of [0, 1]) {
      words.reverse();
      index.add(ord, [{
        field: 0,
        text: `${words.join(' ')} — ${words.map((word) => word.toUpperCase()).join('—')} ${words.join(' ')} ${
          'long'.repeat(5)
        }`,
      }, {
        field: 1,
        tokens: [...words, 'w1\0', 'w1', 'long'.repeat(5)].map((form, position) => ({ form, position })),
      }]);
    }
    expect(words.filter((word) => index.frequency(index.form(word)!, 1) !== (word === 'w1' ? 5 : 4))).toEqual([]);
    expect([index.frequency(index.form('w1\0')!, 1), index.frequency(index.form('long'.repeat(5))!, 1)]).toEqual([1,
      2]);
    expect(index.documents(index.form('w5999')!)).toBe(2);
  });

  it('keep positions of any distance, in blocks of any frequencies', () => {
    const gap = fc.oneof(fc.nat(3), fc.nat(200), fc.nat(1_000_000));
    fc.assert(
      fc.property(
        fc.array(fc.array(gap, { minLength: 1, maxLength: 9 }), { minLength: 128, maxLength: 300, size: 'max' }),
        gap,
        (documents, distance) => {
          const index = new InvertedIndex({ build });
          const positions = documents.map((gaps) =>
            gaps.map((_, i) => gaps.slice(0, i + 1).reduce((sum, each) => sum + each, 0))
          );
          for (const [ord, list] of positions.entries())
            index.add(ord, [{ field: 0, tokens: list.map((position) => ({ form: 'x', position })) }, {
              field: 0,
              tokens: [],
            }]);
          const id = index.form('x')!;
          const query: Query = {
            kind: 'phrase',
            words: [{ forms: [{ id }], offset: 0 }, { forms: [{ id }], offset: distance }],
          };
          const { hits } = index.search(query, { algorithm: { kind: 'bm25' }, limit: 1000 });
          const expected = [...positions.keys()].filter((ord) =>
            positions[ord]!.some((position) =>
              positions[ord]!.includes(position + distance)
            )
          );
          expect(hits.map(({ ord }) => ord).sort((a, b) => a - b)).toEqual(expected);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('keep positions far apart among many that are near', () => {
    const gap = fc.oneof({ weight: 12, arbitrary: fc.integer({ min: 1, max: 3 }) }, {
      weight: 1,
      arbitrary: fc.integer({ min: 100, max: 100_000 }),
    });
    fc.assert(
      fc.property(
        fc.array(fc.array(gap, { minLength: 2, maxLength: 40 }), { minLength: 130, maxLength: 270, size: 'max' }),
        (documents) => {
          const index = new InvertedIndex({ build, cacheBytes: 0 });
          const positions = documents.map((gaps) =>
            gaps.map((_, i) => gaps.slice(0, i + 1).reduce((sum, each) => sum + each, 0))
          );
          const formAt = (position: number) => 'xyz'[position % 3]!;
          for (const [ord, list] of positions.entries())
            index.add(ord, [{ field: 0, tokens: list.map((position) => ({ form: formAt(position), position })) }]);
          // Two positions of each document: all gaps before them have to be right.
          for (const list of positions) {
            const [from, to] = [list[list.length >> 2]!, list.at(-1)!];
            const [first, second] = [formAt(from), formAt(to)].map((form) => ({ forms: [{ id: index.form(form)! }] }));
            const query: Query = {
              kind: 'phrase',
              words: [{ ...first!, offset: 0 }, { ...second!, offset: to - from }],
            };
            const { hits } = index.search(query, { algorithm: { kind: 'bm25' }, limit: 1000 });
            const has = (other: readonly number[]) =>
              other.some((position) => formAt(position) === formAt(from) && other.includes(position + to - from));
            expect(hits.map(({ ord }) => ord).sort((a, b) => a - b)).toEqual([...positions.keys()].filter((ord) =>
              has(positions[ord]!)
            ));
          }
        },
      ),
      { numRuns: 3 },
    );
  });

  it('may be so large that their postings have blocks of their own', async () => {
    const long = Array.from({ length: 60_000 },
      (_, i) => (i % 3 === 0 ? 'often' : i % 1000 === 1 ? 'rarely' : `w${i % 50}`));
    let index = new InvertedIndex({ build });
    for (const ord of [0, 1, 2])
      index.add(ord, [{ field: 0, text: ord === 1 ? 'often rarely' : long.join(' ') }, { field: 1, text: 'often' }]);
    index.remove(0);
    while (index.compact(1000));
    index = await InvertedIndex.load(index.save(1n), [], { build });
    expect(index.frequency(index.form('often')!, 2)).toBe(20_001);
    expect(index.frequency(index.form('rarely')!, 2)).toBe(long.filter((word) => word === 'rarely').length);
    expect(matches(index, asPhrase(index, long.slice(30_000, 30_040).map((form, position) => ({ form, position })))))
      .toEqual([2]);
    expect(matches(index, asPhrase(index, [{ form: 'often', position: 0 }, { form: 'rarely', position: 1 }]))).toEqual([
      1,
      2,
    ]);
    expect(matches(index, asPhrase(index, [{ form: 'rarely', position: 0 }, { form: 'often', position: 1 }]))).toEqual([
      2,
    ]);
  });

  it('are there at once when all steps are done, or when something else changes the index', async () => {
    const words = Array.from({ length: 3000 }, (_, i) => `w${i % 700}`);
    const find = (index: InvertedIndex, form: string) => matches(index, asPhrase(index, [{ form, position: 0 }]));
    const begun = (steps: number) => {
      const index = new InvertedIndex({ build, additionStep: 100 });
      index.add(5, [{ field: 0, text: 'w1 former' }]);
      const addition = index.beginAdd(5, [{ field: 0, text: words.join(' ') }, { field: 'author', text: 'w1 writer' }]);
      for (let i = 0; i < steps; i++) expect(addition.step(0, () => 0)).toBe(true);
      return { index, addition };
    };
    for (const steps of [1, 20, 150, 190]) {
      const whole = begun(steps);
      expect([find(whole.index, 'w1'), find(whole.index, 'former'), whole.index.documents(whole.index.form('w1')!)])
        .toEqual([[5], [5], 1]);
      expect(whole.index.stats()).toMatchObject({ documents: 1, tokens: 2 });
      while (whole.addition.step(1));
      expect([find(whole.index, 'w699'), find(whole.index, 'former'), whole.addition.step(1)]).toEqual([[5], [],
        false]);
      const disturbed = begun(steps);
      disturbed.index.add(6, [{ field: 0, text: 'w1' }]);
      expect([find(disturbed.index, 'w1'), find(disturbed.index, 'former'), disturbed.addition.step(1)]).toEqual([[5,
        6], [], false]);
      const saved = begun(steps);
      const loaded = await InvertedIndex.load(saved.index.save(1n), [], { build });
      expect([find(loaded, 'w699'), loaded.documents(loaded.form('w1')!, 'author'), loaded.stats().tokens]).toEqual([[
        5,
      ], 1, 3002]);
    }
  });

  it('may have very many fields: those beyond the first thousand share one', async () => {
    let index = new InvertedIndex({ build });
    const names = Array.from({ length: MAX_NAMED_FIELDS + 3 }, (_, i) => `faq.${i}`);
    index.add(0, names.map((field) => ({ field, text: `common ${field.replace('.', '')}` })));
    index.add(1, [{ field: 'faq.7', text: 'other words' }, { field: 'faq.999', text: 'faq998' }]);
    index.remove(0);
    index.add(0, names.map((field) => ({ field, text: `common ${field.replace('.', '')}` })));
    while (index.compact(1000));
    index = await InvertedIndex.load(index.save(1n), [], { build });
    const total = (form: string, field: string) =>
      index.search({ kind: 'term', forms: [{ id: index.form(form)! }] }, {
        algorithm: { kind: 'bm25f', weights: new Map([[field, 2]]) },
        limit: 1,
      }).total;
    expect([total('faq7', 'faq.7'), total('faq7', 'faq.8'), total('faq999', 'faq.999'), total('faq998', 'faq.999')])
      .toEqual([1, 0, 1, 1]);
    expect([total('faq1000', 'faq.1000'), total('faq1000', 'faq.1002'), total('faq1000', 'faq.999'),
      total('common', 'faq.1001')]).toEqual([1, 1, 0, 1]);
    expect(index.mainFields([index.form('faq7')!, index.form('faq1001')!, index.form('other')!])).toEqual(['faq.7',
      SHARED_FIELD, 'faq.7']);
  });

  it('may have more values in a field than there are gaps between', () => {
    const index = new InvertedIndex({ build });
    index.add(0, Array.from({ length: 120_000 }, (_, i) => ({ field: 2, text: `left${i % 3} right` })));
    expect(matches(index, asPhrase(index, [{ form: 'left1', position: 0 }, { form: 'right', position: 1 }]))).toEqual([
      0,
    ]);
    expect(matches(index, asPhrase(index, [{ form: 'right', position: 0 }, { form: 'right', position: 1 }]))).toEqual(
      [],
    );
    expect(index.frequency(index.form('right')!, 0)).toBe(120_000);
  });

  it('keep values of one field apart, and fields', () => {
    const index = new InvertedIndex({ build });
    index.add(0, [{ field: 2, text: 'red fox' }, { field: 2, text: 'green frog' }, { field: 0, text: 'blue' }]);
    expect(matches(index, asPhrase(index, [{ form: 'green', position: 0 }, { form: 'frog', position: 1 }]))).toEqual([
      0,
    ]);
    const near = (a: string, b: string, slop: number): Query => ({
      kind: 'phrase',
      slop,
      words: [a, b].map((form, offset) => ({ forms: [{ id: index.form(form)! }], offset })),
    });
    expect(matches(index, near('fox', 'green', 9000))).toEqual([]);
    expect(matches(index, near('blue', 'red', 9000))).toEqual([]);
    expect(matches(index, near('frog', 'green', 0))).toEqual([0]);
  });

  it('are refused whole when something is out of range', () => {
    const index = new InvertedIndex({ build });
    index.add(0, [{ field: 0, text: 'kept' }]);
    const bad = [() => index.add(0, [{ field: 8, text: 'x' }]), () => index.add(0, [{ field: -1, text: 'x' }]),
      () => index.add(-1, []), () => index.add(2 ** 30, []), () => index.add(0.5, []),
      () => index.add(0, [{ field: 0, tokens: [{ form: 'a', position: 2 }, { form: 'b', position: 1 }] }]),
      () => index.add(0, [{ field: 0, tokens: [{ form: 'a', position: 2 ** 30 }] }])];
    for (const add of bad) expect(add).toThrow(RangeError);
    expect(index.documents(index.form('kept')!)).toBe(1);
  });
});
