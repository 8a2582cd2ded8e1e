import { describe, expect, it } from 'vitest';
import { expectSame, known, SMALL_STEPS, WORDS } from '../../testkit/inverted/cases.ts';
import { ReferenceIndex, type WordQuery } from '../../testkit/inverted/reference.ts';
import type { ScoringAlgorithm } from './algorithm.ts';
import { type Field, type FieldText, InvertedIndex, type Query } from './index.ts';

// The lists that an index remembers from earlier queries (asm/inverted/lists/) lead to the same results as postings.
// `expectSame` runs each query several times, so that later results come from lists and from the positions that are
// kept with them.

const BM25: ScoringAlgorithm = { kind: 'bm25' };
const TFIDF: ScoringAlgorithm = { kind: 'tfidf' };
const WEIGHED: ScoringAlgorithm = { kind: 'bm25f', weights: new Map<Field, number>([[0, 1], [1, 3], ['key', 2]]) };
const SOME_FIELDS: ScoringAlgorithm = { kind: 'bm25', fields: [0, 1] };

const term = (...words: string[]): WordQuery => ({ kind: 'term', words: words.map((form) => ({ form })) });
const both = (kind: 'and' | 'or', ...words: string[]): WordQuery => ({ kind, of: words.map((word) => term(word)) });
const phrase = (words: readonly string[], slop?: number): WordQuery => ({
  kind: 'phrase',
  words: words.map((form, offset) => ({ words: [{ form }], offset })),
  ...(slop === undefined ? {} : { slop }),
});

/** Numbers of at least 0, the same for each seed (the generator of Numerical Recipes). */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe.each(['release', 'debug'] as const)('cached lists, %s build', (build) => {
  function twins(): { index: InvertedIndex; reference: ReferenceIndex;
    add: (ord: number, fields: readonly FieldText[]) => void; check: (query: WordQuery, by?: ScoringAlgorithm) => void }
  {
    const index = new InvertedIndex({ build, ...SMALL_STEPS });
    const reference = new ReferenceIndex();
    return {
      index,
      reference,
      add: (ord, fields) => {
        index.add(ord, fields);
        reference.add(ord, fields);
      },
      check: (query, by = BM25) => expectSame(index, query, reference.search(known(index, query), by), by, 5),
    };
  }

  it('follow what is added, replaced and removed between queries', () => {
    const { index, reference, add, check } = twins();
    const queries = [term('red'), term('red', 'blue'), both('or', 'red', 'green'), both('and', 'red', 'blue', 'green'),
      phrase(['red', 'blue']), phrase(['blue', 'red'], 2)];
    const random = generator(1);
    for (let turn = 0; turn < 60; turn++) {
      const words = Array.from({ length: 1 + random(12) }, () => ['red', 'blue', 'green', 'dull'][random(4)]!);
      if (turn % 5 === 4) expect(index.remove(turn - 3)).toBe(reference.remove(turn - 3));
      else add(random(2) === 0 ? turn : random(turn + 1), [{
          field: random(2) === 0 ? 0 : 'key',
          text: words.join(' '),
        }]);
      if (turn === 40) index.compact(0, true, () => 0);
      for (const query of queries) check(query, [BM25, TFIDF, WEIGHED, SOME_FIELDS][turn % 4]!);
    }
  });

  it('serve terms that are asked for in some classes only', () => {
    const { index, reference, check } = twins();
    const within = (classes: number, of: WordQuery): WordQuery => ({ kind: 'within', of, classes });
    const queries = [term('red'), term('red', 'blue'), both('or', 'red', 'green'), both('and', 'red', 'blue'),
      phrase(['red', 'blue']), phrase(['blue', 'red'], 2)];
    const random = generator(5);
    for (let turn = 0; turn < 60; turn++) {
      const text = Array.from({ length: 1 + random(12) }, () => ['red', 'blue', 'green', 'dull'][random(4)]!).join(' ');
      const [ord, documentClass] = [random(turn + 1), random(4)];
      index.add(ord, [{ field: 0, text }], undefined, documentClass);
      reference.add(ord, [{ field: 0, text }], documentClass);
      if (turn === 40) index.compact(0, true, () => 0);
      for (const query of queries) {
        check(within(0b0101, query));
        check({ kind: 'or', of: [within(0b0001, query), within(0b1010, query)] });
      }
    }
  });

  it('make room for each other when there are more than fit', () => {
    const { index, reference, add, check } = twins();
    const random = generator(2);
    const word = () => `w${Math.min(random(120), random(120))}`;
    for (let ord = 0; ord < 900; ord++) add(ord, [{ field: 0, text: Array.from({ length: 40 }, word).join(' ') }]);
    const before = index.stats().bytes.total;
    for (let turn = 0; turn < 150; turn++) {
      const some = [word(), word(), word()];
      check(
        [term(...new Set(some)), both('or', ...some), both('and', ...some), phrase(some.slice(1)),
          phrase(some, 3)][turn % 5]!,
      );
      if (turn % 10 === 9) expect(index.remove(turn)).toBe(reference.remove(turn));
    }
    expect(index.stats().bytes.total).toBeLessThanOrEqual(before);
  });

  it('stay as long as the query that uses them, which does without where they leave no room', () => {
    const { add, check } = twins();
    const words = Array.from({ length: 8 }, (_, i) => `word${i}`);
    for (let ord = 0; ord < 1500; ord++)
      add(ord, [{
        field: 0,
        text: words.filter((_, i) => ord % (i + 7) !== 0).join(' '),
      }]);
    const random = generator(3);
    for (let turn = 0; turn < 60; turn++) check(both('and', ...words.filter(() => random(4) > 0)));
  });

  it('hold frequencies, positions and fields of any size', () => {
    const { add, check } = twins();
    add(0, [{ field: 0, text: 'often '.repeat(300) }]);
    add(1, [{ field: 0, text: `often seldom ${'often '.repeat(254)}` }]);
    add(2, [{ field: 0, tokens: [{ form: 'often', position: 20_000_000 }, { form: 'seldom', position: 20_000_001 }] }]);
    add(3, Array.from({ length: 400 }, (_, i) => ({ field: `key${i}`, text: i === 399 ? 'seldom often' : 'filler' })));
    add(4, [{ field: 0, text: 'seldom' }]);
    for (const query of [term('often'), both('and', 'often', 'seldom'), both('or', 'often', 'seldom'),
      phrase(['often', 'seldom']), phrase(['seldom', 'often'], 1)])
    {
      check(query);
      check(query, TFIDF);
    }
    add(5, [{ field: 0, text: 'seldom '.repeat(700) }]);
    check(both('and', 'seldom', 'often'));
    check(phrase(['seldom', 'seldom']));
  });

  it('return the very scores that postings give', () => {
    const random = generator(4);
    const text = (words: number) =>
      Array.from({ length: 1 + random(words) }, () => WORDS[random(random(WORDS.length) + 1)]!).join(' ');
    const texts = Array.from({ length: 400 },
      (_,
        ord): FieldText[] => [{ field: 0, text: text(80) },
        ...(ord % 3 === 0 ? [{ field: 1, text: text(4) }, { field: 'key', text: text(3) }] : [])]);
    const [lists, postings] = [new InvertedIndex({ build }), new InvertedIndex({ build, cacheBytes: 0 })];
    for (const index of [lists, postings]) texts.forEach((fields, ord) => index.add(ord, fields));
    const answer = (index: InvertedIndex, kind: 'and' | 'or', some: readonly string[], algorithm: ScoringAlgorithm) =>
      index.search({
        kind,
        of: some.map((each) => ({ kind: 'term', forms: index.unstemmed(each).map((id) => ({ id })) })),
      }, { algorithm, limit: 500 });
    for (let turn = 0; turn < 40; turn++) {
      const some = [...new Set(Array.from({ length: 1 + random(4) }, () => WORDS[random(WORDS.length)]!))];
      for (const by of [BM25, TFIDF, WEIGHED, SOME_FIELDS])
        for (const kind of ['and', 'or'] as const)
          expect(answer(lists, kind, some, by)).toEqual(answer(postings, kind, some, by));
    }
  });

  it('hold phrases, and terms that are all required, by all that decides what they match and how they score', () => {
    const random = generator(5);
    const [lists, postings] = [new InvertedIndex({ build }), new InvertedIndex({ build, cacheBytes: 0 })];
    const write = (ord: number) => {
      const fields: FieldText[] = [{ field: 0, text: Array.from({ length: 30 }, () => 'abcd'[random(4)]!).join(' ') }, {
        field: 1,
        text: 'a b',
      }];
      for (const index of [lists, postings]) index.add(ord, fields, undefined, ord % 2);
    };
    for (let ord = 0; ord < 300; ord++) write(ord);
    const asked = (index: InvertedIndex): Query[] => {
      const forms = (word: string, weight?: number) =>
        [...word].map((form) => ({ id: index.form(form)!, ...(weight !== undefined && { weight }) }));
      const make = (words: readonly string[], more: object = {}, weight?: number): Query => ({
        kind: 'phrase',
        words: words.map((word, offset) => ({ forms: forms(word, weight), offset })),
        ...more,
      });
      return [make(['a', 'b', 'c']), make(['ab', 'c']), make(['ab', 'c'], { weight: 2 }),
        make(['ab', 'c'], { slop: 1 }), make(['ab', 'c'], { slop: 3 }), make(['ab', 'c'], { classes: 1 }),
        make(['ab', 'c'], {}, 0.5), make(['c', 'ab']), make(['a', 'd']), {
        kind: 'and',
        of: [make(['a', 'b', 'c']), { kind: 'not', of: make(['a', 'd']) }],
      }, { kind: 'and', of: [{ kind: 'term', forms: forms('ab') }, { kind: 'term', forms: forms('c'), weight: 3 }] }, {
        kind: 'and',
        of: [{ kind: 'term', forms: forms('c') }, { kind: 'term', forms: forms('ab') }],
      }, { kind: 'and', of: [{ kind: 'term', forms: forms('ab', 0.5) }, { kind: 'term', forms: forms('c') }] }, {
        kind: 'and',
        of: [{ kind: 'term', forms: forms('a'), classes: 1 }, { kind: 'term', forms: forms('cd') }],
      }, { kind: 'or', of: [make(['d', 'd']), make(['b', 'b'], { classes: 2 })] }];
    };
    for (let turn = 0; turn < 12; turn++) {
      const ours = asked(lists);
      const theirs = asked(postings);
      for (const by of [BM25, TFIDF, WEIGHED]) {
        for (const [i, query] of ours.entries())
          expect(lists.search(query, { algorithm: by, limit: 400 })).toEqual(
            postings.search(theirs[i]!, { algorithm: by, limit: 400 }),
          );
      }
      if (turn % 3 === 1) write(300 + turn);
      if (turn % 3 === 2) { for (const index of [lists, postings]) index.remove(turn * 7); }
    }
  });

  it('are others where fields count differently', () => {
    const { add, check } = twins();
    for (let ord = 0; ord < 20; ord++)
      add(ord, [{ field: 0, text: 'red blue' }, { field: 1, text: ord % 2 ? 'red' : 'green' }]);
    for (const by of [BM25, { kind: 'bm25', fields: [1] }, BM25, { kind: 'bm25f', weights: new Map([[0, 1], [1, 3]]) },
      TFIDF, { kind: 'bm25', k1: 2, b: 0.3 }] satisfies ScoringAlgorithm[])
    {
      check(both('and', 'red', 'blue'), by);
      check(term('red'), by);
    }
  });
});
