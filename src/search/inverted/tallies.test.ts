import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectSame, known } from '../../testkit/inverted/cases.ts';
import { ReferenceIndex, type WordQuery } from '../../testkit/inverted/reference.ts';
import { type FieldText, InvertedIndex } from './index.ts';

// Terms, `or`, `and` and phrases by BM25, whose documents are counted and bounded in parallel
// (asm/inverted/tallies.ts), and whose positions are decoded only for candidates (asm/inverted/occurrences.ts).
// `expectSame` compares the best few, found in this way, with all results.

const FORMS = ['red', 'blue', 'green', 'rare', 'often'] as const;

/** A pseudo-random number below a limit for each pair of numbers (the finaliser of MurmurHash3). */
function spread(a: number, b: number, below: number): number {
  let hash = Math.imul(a + 1, 0x9e37_79b1) ^ Math.imul(b + 1, 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % below;
}

/**
 * Words of very different frequencies, at positions near and far apart: some documents contain one of them hundreds of
 * times.
 */
function document(ord: number, seed: number): FieldText[] {
  const tokens: { form: string; position: number }[] = [];
  let position = spread(seed, ord, 30);
  const count = 1 + spread(ord, seed, 14);
  for (let i = 0; i < count; i++) {
    const dice = spread(ord * 31 + i, seed, 100);
    const form = dice < 2 ? 'rare' : dice < 20 ? 'red' : dice < 40 ? 'blue' : dice < 55 ? 'green' : 'often';
    const times = ord % 60 === 7 && i === 0 ? 200 + spread(i, ord, 200) : 1;
    for (let time = 0; time < times; time++) tokens.push({ form, position: position++ });
    if (dice % 7 === 0) position += spread(ord, i, dice === 7 ? 1_000_000 : 90);
  }
  return [{ field: ord % 11 === 0 ? 'key' : ord % 13 === 0 ? 5 : 0, tokens },
    ...(ord % 17 === 0 ? [{ field: 1, text: 'red blue' }] : [])];
}

const word = fc.subarray([...FORMS], { minLength: 1, maxLength: 2 }).map((forms) => forms.map((form) => ({ form })));
const term: fc.Arbitrary<WordQuery> = fc.record({
  kind: fc.constant('term' as const),
  words: word,
  weight: fc.constantFrom(1, 1, 0.5, 3),
});
const query: fc.Arbitrary<WordQuery> = fc.oneof(term, fc.record({
  kind: fc.constantFrom('or' as const, 'and' as const),
  of: fc.array(term, { minLength: 1, maxLength: 9 }),
}), fc.record({
  kind: fc.constant('and' as const),
  of: fc.tuple(term, term, fc.record({ kind: fc.constant('not' as const), of: term })),
}), fc.record({
  kind: fc.constant('phrase' as const),
  words: fc.array(word, { minLength: 2, maxLength: 3 }).map((words) =>
    words.map((each, offset) => ({ words: each, offset }))
  ),
  slop: fc.constantFrom(undefined, undefined, 2),
}));

describe.each(['release', 'debug'] as const)('tallies, %s build', (build) => {
  it.each([0, undefined])('find and score as the reference does, with %s bytes for lists', (cacheBytes) => {
    fc.assert(
      fc.property(fc.nat(1000), fc.array(fc.tuple(query, fc.constantFrom(0, 1, 3, 40)), { minLength: 8, maxLength: 8 }),
        (seed, asked) => {
          const index = new InvertedIndex({
            build,
            compactionStep: 50,
            ...(cacheBytes !== undefined && { cacheBytes }),
          });
          const reference = new ReferenceIndex();
          const add = (ord: number, version: number) => {
            index.add(ord, document(ord, version));
            reference.add(ord, document(ord, version));
          };
          for (let ord = 0; ord < 200; ord++) add(ord, seed);
          for (const [i, [each, limit]] of asked.entries()) {
            expectSame(index, each, reference.search(known(index, each), { kind: 'bm25' }), { kind: 'bm25' }, limit);
            add(spread(i, seed, 220), seed + i);
            if (i % 3 === 0) {
              index.remove(i * 7);
              reference.remove(i * 7);
            }
            if (i > 3) index.compact(0, i === 4, () => 0);
          }
        }),
      { numRuns: 3 },
    );
  });

  it('find phrases whose words share forms, also while documents are renumbered', () => {
    const shared = fc.subarray(['red', 'blue', 'green'], { maxLength: 2 }).map((forms) =>
      [...forms, 'often'].map((form) => ({ form }))
    );
    const phrase: fc.Arbitrary<WordQuery> = fc.record({
      kind: fc.constant('phrase' as const),
      words: fc.array(shared, { minLength: 2, maxLength: 4 }).map((words) =>
        words.map((each, i) => ({ words: each, offset: i === 3 ? 4 : i }))
      ),
      weight: fc.constantFrom(1, 3),
    });
    fc.assert(
      fc.property(fc.nat(1000), fc.array(fc.tuple(phrase, fc.constantFrom(1, 10)), { minLength: 6, maxLength: 6 }),
        (seed, asked) => {
          const index = new InvertedIndex({ build, compactionStep: 50, cacheBytes: 0 });
          const reference = new ReferenceIndex();
          for (let ord = 0; ord < 300; ord++) {
            index.add(ord, document(ord, seed));
            reference.add(ord, document(ord, seed));
          }
          for (const [i, [each, limit]] of asked.entries()) {
            expectSame(index, each, reference.search(known(index, each), { kind: 'bm25' }), { kind: 'bm25' }, limit);
            if (i !== 1) continue;
            for (let ord = 0; ord < 40; ord++) {
              index.remove(ord * 5);
              reference.remove(ord * 5);
            }
            index.compact(0, true, () => 0);
          }
        }),
      { numRuns: 2 },
    );
  });

  it('find phrases whose words occur up to four times in a document, near and far', () => {
    const GAPS = [1, 1, 1, 2, 63, 64, 700, 100_000];
    const few = (ord: number, seed: number): FieldText[] => {
      let position = spread(seed, ord, 200);
      const tokens = Array.from({ length: 2 + spread(ord, seed, 9) }, (_, i) => {
        position += GAPS[spread(ord * 17 + i, seed, GAPS.length)]!;
        return { form: FORMS[spread(ord * 31 + i, seed + 1, FORMS.length)]!, position };
      });
      return [{ field: ord % 40 === 5 ? 1 : 0, tokens }];
    };
    const phrase: fc.Arbitrary<WordQuery> = fc.record({
      kind: fc.constant('phrase' as const),
      words: fc.array(word, { minLength: 2, maxLength: 3 }).map((words) =>
        words.map((each, offset) => ({ words: each, offset }))
      ),
    });
    fc.assert(fc.property(fc.nat(1000), fc.array(phrase, { minLength: 8, maxLength: 8 }), (seed, asked) => {
      const index = new InvertedIndex({ build, cacheBytes: 0 });
      const reference = new ReferenceIndex();
      for (let ord = 0; ord < 700; ord++) {
        index.add(ord, few(ord, seed));
        reference.add(ord, few(ord, seed));
      }
      for (const each of asked)
        expectSame(index, each, reference.search(known(index, each), { kind: 'bm25' }), { kind: 'bm25' }, 10);
    }), { numRuns: 3 });
  });

  it.each([3, 8, 9])('find a phrase of %d words', (count) => {
    const index = new InvertedIndex({ build, cacheBytes: 0 });
    const forms = Array.from({ length: count }, (_, i) => FORMS[i % FORMS.length]!);
    for (let ord = 0; ord < 300; ord++)
      index.add(ord, [{ field: 0, text: (ord % 2 === 0 ? forms : [...forms].reverse()).join(' ') }]);
    const words = forms.map((form, offset) => ({ forms: [{ id: index.form(form)! }], offset }));
    expect(index.search({ kind: 'phrase', words }, { algorithm: { kind: 'bm25' }, limit: 1 }).total).toBe(150);
  });

  it('remember frequent terms and follow changes of documents', () => {
    const text = (ord: number, version: number) => FORMS.filter((_, i) => spread(ord, i + version, 3) > 0).join(' ');
    const indexes = [new InvertedIndex({ build }), new InvertedIndex({ build, cacheBytes: 0 })];
    const add = (ord: number, version: number) =>
      indexes.forEach((index) => index.add(ord, [{ field: 0, text: text(ord, version) }]));
    const search = (kind: 'or' | 'and', forms: readonly string[]) => {
      const [remembered, anew] = indexes.map((index) => {
        const of = forms.map((form) => ({ kind: 'term' as const, forms: [{ id: index.form(form)! }] }));
        return index.search({ kind, of }, { algorithm: { kind: 'bm25' }, limit: 5 });
      });
      expect(remembered).toEqual(anew);
      return remembered!.total;
    };
    for (let ord = 0; ord < 7000; ord++) add(ord, 0);
    for (let round = 0; round < 4; round++) {
      for (const forms of [['red', 'blue', 'green', 'often'], ['rare', 'blue', 'green', 'often'], ['red']])
        expect(search('or', forms)).toBeGreaterThan(0);
      search('and', ['red', 'blue']);
      for (let ord = 6990; ord < 7030; ord += 3) add(ord, round);
      indexes.forEach((index) => index.remove(round));
      if (round === 2) indexes.forEach((index) => index.compact(0, true, () => 0));
    }
  });

  it('find a phrase in more documents than are looked at together', () => {
    const index = new InvertedIndex({ build, cacheBytes: 0 });
    const texts = ['red blue', 'blue red', 'red green blue'];
    for (let ord = 0; ord < 15_000; ord++) index.add(ord, [{ field: 0, text: texts[ord % 3]! }]);
    const phrase = (...words: string[]) => ({
      kind: 'phrase' as const,
      words: words.map((form, offset) => ({ forms: [{ id: index.form(form)! }], offset })),
    });
    const search = (...words: string[]) => index.search(phrase(...words), { algorithm: { kind: 'bm25' }, limit: 3 });
    expect([search('red', 'blue').total, search('blue', 'red').total, search('red', 'green', 'blue').total]).toEqual([
      5000,
      5000,
      5000,
    ]);
    expect(search('blue', 'red').hits.map(({ ord }) => ord)).toEqual([1, 4, 7]);
  });
});
