import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../testkit/crash/random.ts';
import { type Step, step, take, WORDS } from '../../testkit/inverted/cases.ts';
import { ReferenceIndex, type ReferenceWord } from '../../testkit/inverted/reference.ts';
import { FEATURES, InvertedIndex, POWER, type Reranking, type RerankWord } from './index.ts';
import { RERANK_WEIGHTS } from './rerank-weights.ts';

const BM25 = { kind: 'bm25' } as const;
const words = fc.array(fc.record({
  forms: fc.subarray([...WORDS, 'zebra'], { minLength: 1, maxLength: 3 }),
  gap: fc.integer({ min: 1, max: 3 }),
  glued: fc.boolean(),
  identifier: fc.boolean(),
}), { minLength: 1, maxLength: 4 });

describe.each(['release', 'debug'] as const)('features of candidates, %s build', (build) => {
  it('are those of the reference, whatever was added, replaced, removed, compacted and reloaded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), fc.array(words, { minLength: 1, maxLength: 4 }),
        async (steps: Step[], queries) => {
          let index = new InvertedIndex({ build, compactionStep: 3, additionStep: 2 });
          const reference = new ReferenceIndex();
          for (const next of steps) index = await take(index, reference, next, build);
          for (const query of queries) compare(index, reference, query);
        }),
      { numRuns: build === 'debug' ? 60 : 150 },
    );
  }, 60_000);
});

function compare(index: InvertedIndex, reference: ReferenceIndex,
  query: readonly { forms: string[]; gap: number; glued: boolean; identifier: boolean }[]): void
{
  let offset = 0;
  const described = query.map(({ forms, gap, glued, identifier }) => ({
    forms,
    exact: forms[0]!,
    offset: offset += gap,
    glued,
    identifier,
  }));
  const asked = described.map(({ forms, exact, ...rest }): RerankWord => ({
    ...rest,
    forms: forms.flatMap((form) => index.form(form) ?? []),
    exact: index.form(exact),
  }));
  const ords = Array.from({ length: 21 }, (_, ord) => ord).reverse();
  // The second call uses the places that the first has remembered.
  const first = index.features(asked, ords);
  const found = index.features(asked, ords);
  expect(found).toEqual(first);
  const shares = index.shares(asked);
  const wanted = described.map((word, i): ReferenceWord => ({ ...word, share: shares[i]! }));
  for (const [i, ord] of ords.entries()) {
    const own = [...found.subarray(i * FEATURES.length, (i + 1) * FEATURES.length)];
    const expected = index.has(ord) ? reference.features(ord, wanted) : FEATURES.map(() => 0);
    for (const [f, name] of FEATURES.entries())
      expect(own[f], `${name} of ${ord} for ${JSON.stringify(described)}`).toBeCloseTo(expected[f]!, 4);
  }
}

describe('places and factors that are remembered', () => {
  const text = (words: number, one: string, other: string) =>
    Array.from({ length: words }, (_, i) => (i % 7 === 0 ? one : other)).join(' ');

  it('make room for others, are forgotten when documents get other numbers, and need not be kept', () => {
    const [kept, none] = [new InvertedIndex({ build: 'debug' }), new InvertedIndex({ build: 'debug', cacheBytes: 0 })];
    for (const index of [kept, none]) {
      for (let ord = 0; ord < 400; ord++)
        index.add(ord, [{ field: 0, text: text(20 + (ord % 300), `w${ord % 5}`, `w${ord % 3}`) }, {
          field: 1,
          text: `w${ord % 5} title`,
        }]);
      // More positions than are remembered, and a position that is too large to be remembered.
      index.add(400, [{ field: 0, text: text(40_000, 'w1', 'w2') }, {
        field: 0,
        tokens: [{ form: 'w1', position: 20_000_000 }],
      }]);
    }
    const reranked = (index: InvertedIndex, words: readonly RerankWord[], limit: number) =>
      index.search({ kind: 'or', of: words.map(({ forms }) => ({ kind: 'term', forms: forms.map((id) => ({ id })) })) },
        { algorithm: BM25, limit, rerank: [{ words, classes: ~0 }] });
    const compare = () => {
      for (let turn = 0; turn < 30; turn++) {
        const asked = (index: InvertedIndex) =>
          [turn % 5, (turn + 1) % 5].map((word, offset): RerankWord => {
            const form = index.form(`w${word}`)!;
            return {
              forms: turn % 2 === 0 ? [form] : [form, index.form('title')!],
              exact: form,
              offset,
              glued: false,
              identifier: true,
            };
          });
        const ords = Array.from({ length: 100 }, (_, i) => (i * 13 + turn * 7) % 401);
        expect(kept.features(asked(kept), ords)).toEqual(none.features(asked(none), ords));
        // Twice: the second search finds the factors of the first, whatever was added and evicted before.
        for (const limit of [7, 120, 7])
          expect(reranked(kept, asked(kept), limit)).toEqual(reranked(none, asked(none), limit));
      }
    };
    compare();
    for (const index of [kept, none]) {
      for (let ord = 0; ord < 400; ord += 3) index.remove(ord);
      while (index.compact(1000));
      for (let ord = 0; ord < 90; ord += 3) index.add(ord, [{ field: 0, text: text(30, 'w4', 'w0') }]);
    }
    compare();
  });

  it('are not taken for those of another document, when as many compactions have passed as there are epochs', () => {
    const EPOCHS = 255;
    const texts = ['ant bee cow cow', 'bee cow cow ant'];
    const indexes = [new InvertedIndex({ build: 'debug' }), new InvertedIndex({ build: 'debug', cacheBytes: 0 })];
    const add = (index: InvertedIndex, ord: number) => index.add(ord, [{ field: 0, text: texts[ord]! }]);
    const found = (index: InvertedIndex) => {
      const words = ['ant', 'bee'].map((form, offset): RerankWord => ({
        forms: [index.form(form)!],
        exact: index.form(form),
        offset,
        glued: false,
        identifier: false,
      }));
      return index.search({ kind: 'or', of: words.map(({ forms }) => ({ kind: 'term', forms: [{ id: forms[0]! }] })) },
        { algorithm: BM25, limit: 2, rerank: [{ words, classes: ~0 }] }).hits;
    };
    for (const index of indexes) {
      // A small index keeps no factors.
      index.add(texts.length, [{ field: 0, text: Array.from({ length: 20_000 }, (_, i) => `w${i}`).join(' ') }]);
      for (const ord of texts.keys()) add(index, ord);
    }
    const before = found(indexes[0]!);
    expect(before[0]!.score).not.toBe(before[1]!.score);
    // Each round, the documents change their numbers, and nothing else. No search stores factors meanwhile, in place of
    // the first ones.
    for (const index of indexes) {
      for (let round = 0; round < EPOCHS; round++) {
        index.remove(round % 2);
        add(index, round % 2);
        while (index.compact(1000));
      }
    }
    expect(found(indexes[0]!)).toEqual(found(indexes[1]!));
    expect(found(indexes[0]!)).toEqual(before);
  });
});

describe('the best of many candidates', () => {
  const FORMS = ['ant', 'bee', 'cow', 'dog', 'eel', 'fox'];

  it.each(['release', 'debug'] as const)('are the same however few of them are wanted, %s build', (build) => {
    const random = seededRandom(11);
    const some = (most: number) => Array.from({ length: random.integer(1, most) }, () => random.pick(FORMS)).join(' ');
    const indexes = [new InvertedIndex({ build }), new InvertedIndex({ build, cacheBytes: 0 })];
    for (let ord = 0; ord < 700; ord++) {
      const fields = [{ field: 0, text: some(40) },
        ...(ord % 3 === 0 ? [{ field: 1, text: some(4) }, { field: 6, text: some(2) }] : [])];
      for (const index of indexes) index.add(ord, fields, undefined, ord % 2);
    }
    for (let turn = 0; turn < 60; turn++) {
      const described = Array.from({ length: 1 + (turn % 4) }, (_, offset) => ({
        forms: [...new Set(some(2).split(' '))],
        offset,
        glued: random.next() < 0.3,
        identifier: random.next() < 0.3,
      }));
      const asked = (index: InvertedIndex) =>
        described.map(({ forms, ...rest }): RerankWord => ({
          ...rest,
          forms: forms.map((form) => index.form(form)!),
          exact: index.form(forms[0]!),
        }));
      const found = (index: InvertedIndex, limit: number) =>
        index.search({
          kind: 'or',
          of: asked(index).map(({ forms }) => ({ kind: 'term', forms: forms.map((id) => ({ id })) })),
        }, {
          algorithm: BM25,
          limit,
          rerank: [{ words: asked(index), classes: 1 }, { words: asked(index).slice(0, 2), classes: 2 }],
        }).hits;
      const all = found(indexes[1]!, 100);
      // The second time, factors and their bounds are remembered; then they serve a larger page.
      for (const limit of [3, 3, 12, 40, 99])
        for (const index of indexes) expect(found(index, limit)).toEqual(all.slice(0, limit));
    }
  });
});

describe('reranking', () => {
  const index = new InvertedIndex({ build: 'debug' });
  const texts = ['ant bee cow', 'ant x x x x bee', 'bee ant', 'ant', 'dog dog ant'];
  for (const [ord, text] of texts.entries())
    index.add(ord, [{ field: 0, text }, { field: 1, text: ord === 3 ? 'dog' : 'fox' }], undefined, ord === 4 ? 1 : 0);
  const word = (form: string, offset: number): RerankWord => ({
    forms: [index.form(form)!],
    exact: index.form(form),
    offset,
    glued: false,
    identifier: false,
  });
  const rerankings = (words: readonly RerankWord[], classes = ~0): Reranking[] => [{ words, classes }];
  const query = (...forms: string[]) => ({
    kind: 'or' as const,
    of: forms.map((form) => ({ kind: 'term' as const, forms: [{ id: index.form(form)! }] })),
  });

  // Repeated words make a question of the same name.
  it.each([['names', 2], ['names', 4], ['questions', 5], ['questions', 16]] as const)(
    'multiplies scores by the square of 1 + the features weighted for %s of %i words, and orders by them',
    (kind, count) => {
      const asked = Array.from({ length: count }, (_, i) => word(i % 2 === 0 ? 'ant' : 'bee', i));
      const plain = index.search(query('ant', 'bee'), { algorithm: BM25, limit: 10 });
      const reranked = index.search(query('ant', 'bee'), { algorithm: BM25, limit: 10, rerank: rerankings(asked) });
      expect(reranked.total).toBe(plain.total);
      const features = index.features(asked, plain.hits.map(({ ord }) => ord));
      const expected = plain.hits.map(({ ord, score }, i) => ({
        ord,
        score: score *
          (1 +
              FEATURES.reduce((sum, name, f) => sum + RERANK_WEIGHTS[kind][name] * features[i * FEATURES.length + f]!,
                0)) ** POWER,
      }));
      expected.sort((a, b) => b.score - a.score || a.ord - b.ord);
      expect(reranked.hits.map(({ ord }) => ord)).toEqual(expected.map(({ ord }) => ord));
      for (const [i, { score }] of reranked.hits.entries()) expect(score / expected[i]!.score).toBeCloseTo(1, 4);
    },
  );

  it('leaves the scores of a text alone, which is a query of more than 16 words', () => {
    const asked = Array.from({ length: 17 }, (_, i) => word(i % 2 === 0 ? 'ant' : 'bee', i));
    const plain = index.search(query('ant', 'bee'), { algorithm: BM25, limit: 10 });
    expect(index.search(query('ant', 'bee'), { algorithm: BM25, limit: 10, rerank: rerankings(asked) })).toEqual(plain);
    expect([...index.features(asked, [0, 1])]).toEqual(Array(2 * FEATURES.length).fill(0));
  });

  it('leaves the scores of a word alone that stands in the content only, and those of other classes', () => {
    const plain = index.search(query('cow'), { algorithm: BM25, limit: 10 });
    expect(index.search(query('cow'), { algorithm: BM25, limit: 10, rerank: rerankings([word('cow', 0)]) })).toEqual(
      plain,
    );
    const both = index.search(query('dog'), { algorithm: BM25, limit: 10 });
    const reranked = index.search(query('dog'), {
      algorithm: BM25,
      limit: 10,
      rerank: rerankings([word('dog', 0)], 1 << 0),
    });
    const scoreOf = (result: typeof both, ord: number) => result.hits.find((hit) => hit.ord === ord)!.score;
    expect(scoreOf(reranked, 4)).toBe(scoreOf(both, 4));
    expect(scoreOf(reranked, 3)).toBeGreaterThan(scoreOf(both, 3));
  });

  it('looks at more documents than are wanted', () => {
    const asked = rerankings([word('dog', 0)]);
    expect(index.search(query('dog'), { algorithm: BM25, limit: 1 }).hits).toMatchObject([{ ord: 4 }]);
    expect(index.search(query('dog'), { algorithm: BM25, limit: 1, rerank: asked }).hits).toMatchObject([{ ord: 3 }]);
    expect(index.search(query('dog'), { algorithm: BM25, limit: 0, rerank: asked })).toMatchObject({
      hits: [],
      total: 2,
    });
  });
});
