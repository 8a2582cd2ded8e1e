import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { algorithm, expectSame, known, query, SMALL_STEPS, step, take, WORDS } from '../../testkit/inverted/cases.ts';
import { ReferenceIndex, type WordQuery } from '../../testkit/inverted/reference.ts';
import type { ScoringAlgorithm } from './algorithm.ts';
import { type Field, IndexFullError, InvertedIndex, type Query } from './index.ts';

describe.each(['release', 'debug'] as const)('the %s build', (build) => {
  it('finds and scores as the reference does, whatever was added, replaced, removed, compacted and reloaded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }),
        fc.array(fc.tuple(query, algorithm), { minLength: 3, maxLength: 3 }), fc.nat(5),
        async (steps, queries, limit) => {
          let index = new InvertedIndex({ build, ...SMALL_STEPS });
          const reference = new ReferenceIndex();
          for (const next of steps) index = await take(index, reference, next, build);
          for (const [words, by] of queries)
            expectSame(index, words, reference.search(known(index, words), by), by, limit);
          for (const [form, count] of reference.documentsByForm()) expect(index.documents(index.form(form)!)).toBe(
              count,
            );
          for (const field of [0, 1, 5, 'author', 'status', 'never seen'])
            for (const [form, count] of reference.documentsByForm(field)) expect(
                index.documents(index.form(form)!, field),
              ).toBe(count);
          for (const forms of [['ant', 'zebra', 'the'], ['naïve']]) {
            const found = reference.search(term(...forms), { kind: 'tfidf' });
            const ords = Array.from({ length: 22 }, (_, ord) => ord);
            expect(index.haveAny(forms.map((form) => index.form(form)).filter((id) => id !== undefined), ords)).toEqual(
              ords.map((ord) => found.has(ord)),
            );
          }
          expect([index.stats().documents, index.size]).toEqual([reference.size, reference.size]);
        }),
      { numRuns: build === 'debug' ? 48 : 120 },
    );
  });

  it('scores a pattern of very many forms as one term', async () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), minLength: 1, maxLength: 5 });
    const texts = fc.array(fc.record({
      field: fc.constantFrom<Field>(0, 0, 1, 'author'),
      text: fc.array(letters, { maxLength: 60, size: 'max' }).map((words) => words.join(' ')),
    }), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { minLength: 10, maxLength: 20 }),
        fc.constantFrom('*', 'a*', '*b*', '*c', '?????'), algorithm, async (documents, pattern, by) => {
        let index = new InvertedIndex({ build, compactionStep: 50 });
        const reference = new ReferenceIndex();
        documents.forEach((fields, ord) => {
          index.add(ord, fields);
          reference.add(ord, fields);
        });
        for (const ord of [2, 7]) expect(index.remove(ord)).toBe(reference.remove(ord));
        index.compact(0, true, () => 0);
        index = await take(index, reference, 'reload', build);
        const forms = index.wildcard(pattern, 10_000).map((id) => ({ form: index.textOf(id) }));
        const term: WordQuery = { kind: 'term', words: forms };
        for (const words of [term, { kind: 'and', of: [term, { kind: 'term', words: [{ form: 'a' }] }] }, {
          kind: 'or',
          of: [{ kind: 'not', of: term }, term],
        }] satisfies WordQuery[]) {
          expectSame(index, words, reference.search(known(index, words), by), by, 10);
        }
      }),
      { numRuns: build === 'debug' ? 16 : 40 },
    );
  });

  it('returns the same documents first whatever the limit', () => {
    const index = new InvertedIndex({ build });
    const random = generator(7);
    // Many scores are equal.
    for (let ord = 0; ord < 3000; ord++)
      index.add((ord * 7) % 3000, [{
        field: 0,
        text: `${'ant '.repeat(1 + Math.floor(random() * 9))}${'cow '.repeat(Math.floor(random() * 40))}`,
      }]);
    const asked: Query = { kind: 'term', forms: [{ id: index.form('ant')! }] };
    const find = (query: Query, limit: number) => index.search(query, { algorithm: { kind: 'bm25' }, limit });
    for (const asking of [asked, { kind: 'or', of: [asked, { kind: 'term', forms: [{ id: index.form('cow')! }] }] }, {
      kind: 'and',
      of: [asked, { kind: 'all' }],
    }] satisfies Query[]) {
      const { hits, total } = find(asking, 3000);
      expect([hits.length, total]).toEqual([3000, 3000]);
      expect(hits).toEqual([...hits].sort((a, b) => b.score - a.score || a.ord - b.ord));
      for (const limit of [0, 1, 10, 31, 32, 33, 100, 257, 700, 2999])
        expect(find(asking, limit)).toEqual({ hits: hits.slice(0, limit), total });
    }
  });

  it('does so for forms of many blocks, while a compaction is under way', () => {
    const index = new InvertedIndex({ build, compactionStep: 1 });
    const reference = new ReferenceIndex();
    const random = generator(build === 'debug' ? 1 : 2);
    const write = (ord: number) => {
      const fields = randomFields(random);
      index.add(ord, fields);
      reference.add(ord, fields);
    };
    const remove = (ord: number) => expect(index.remove(ord)).toBe(reference.remove(ord));
    const check = () => {
      for (const [words, by] of BLOCK_QUERIES) expectSame(index, words, reference.search(words, by), by, 20);
      for (const field of [0, 2, 'author'])
        for (const [form, count] of reference.documentsByForm(field))
          expect(index.documents(index.form(form)!, field)).toBe(count);
      const ords = Array.from({ length: 300 }, (_, i) => (i * 31) % 4800);
      const found = reference.search(term(bee, dog), { kind: 'tfidf' });
      expect(index.haveAny([bee, dog].map((form) => index.form(form)!), ords)).toEqual(
        ords.map((ord) => found.has(ord)),
      );
    };
    for (let ord = 0; ord < 4500; ord++) write(ord);
    check();
    for (let i = 0; i < 1300; i++) remove(i * 2 + (i % 7));
    check();
    let steps = 1;
    for (; index.compact(0, true, () => 0); steps++) {
      write(Math.floor(random() * 4700));
      remove(Math.floor(random() * 4500));
      if (steps % 3 === 1) check();
    }
    check();
    expect(steps).toBeGreaterThan(8);
    while (index.compact(1000));
    check();
    expect(index.stats().deleted).toBe(0);
  });
});

/** mulberry32 */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const OTHER_FIELDS: readonly Field[] = [1, 2, 3, 4, 5, 'status', 'author'];

/** A text of up to seven words, of which the first are the most frequent, and sometimes other fields. */
function randomFields(random: () => number): { field: Field; text: string }[] {
  const text = (words: number) =>
    Array.from({ length: words }, () => WORDS[Math.floor(WORDS.length * random() ** 2)]).join(' ');
  const content = { field: 0, text: text(Math.floor(7 * random())) };
  return random() < 0.7
    ? [content]
    : [content, { field: OTHER_FIELDS[Math.floor(7 * random())]!, text: text(3) }, { field: 'author', text: text(1) }];
}

const term = (...forms: string[]): WordQuery => ({ kind: 'term', words: forms.map((form) => ({ form })) });
const [ant, bee, dog, the] = ['ant', 'bee', 'dog', 'the'] as const;
const BLOCK_QUERIES: readonly (readonly [WordQuery, ScoringAlgorithm])[] = [[{
  kind: 'or',
  of: [term(ant), term(dog), term(the)],
}, { kind: 'bm25' }], [{ kind: 'and', of: [term(ant), term(the), { kind: 'not', of: term(bee, dog) }] }, {
  kind: 'tfidf',
  weights: new Map([[0, 1], [3, 2]]),
}], [{
  kind: 'phrase',
  words: [{ words: [{ form: ant }], offset: 0 }, { words: [{ form: bee }, { form: dog }], offset: 1 }],
}, { kind: 'bm25f', weights: new Map<Field, number>([[0, 1], [1, 3], [3, 2], ['author', 2]]) }], [{
  kind: 'phrase',
  words: [{ words: [{ form: the }], offset: 0 }, { words: [{ form: ant }], offset: 1 }],
  slop: 3,
}, { kind: 'bm25' }]];

describe('an index that may not grow', () => {
  const search = (index: InvertedIndex, form: string) =>
    index.search({ kind: 'term', forms: [{ id: index.form(form)! }] }, { algorithm: { kind: 'bm25' }, limit: 1 }).total;

  it('refuses a document that it has no room for before anything has happened', () => {
    const index = new InvertedIndex({ maxBytes: 4 << 20 });
    for (let ord = 0; ord < 500; ord++) index.add(ord, [{ field: 0, text: `common w${ord}` }]);
    for (const add of [() => index.add(7, [{ field: 0, text: 'x'.repeat(1 << 20) }]),
      () => index.beginAdd(500, [{ field: 0, text: 'x '.repeat(1 << 19) }])])
    {
      expect(add).toThrow(IndexFullError);
      expect([search(index, 'common'), search(index, 'w7'), index.has(500)]).toEqual([500, 1, false]);
    }
  });

  it('says so when it is full, now and later', () => {
    const index = new InvertedIndex({ maxBytes: 4 << 20 });
    let documents = 0;
    const fill = () => {
      for (; documents < 100_000; documents++)
        index.add(documents, [{ field: 0, text: `common w${documents} ${'filler '.repeat(50)}` }]);
    };
    expect(fill).toThrow(IndexFullError);
    expect(documents).toBeGreaterThan(1000);
    expect(fill).toThrow(IndexFullError);
    expect(index.stats().bytes.memory).toBeLessThanOrEqual(4 << 20);
  });

  it('says so whatever is asked after a search that found no room', () => {
    const index = new InvertedIndex({ maxBytes: 1_500_000 });
    index.add(0, [{ field: 0, text: 'common' }]);
    const id = index.form('common')!;
    const deep = (
      levels: number,
    ): Query => (levels === 0
      ? { kind: 'term', forms: [{ id }] }
      : { kind: levels % 2 === 0 ? 'and' : 'best', of: [deep(levels - 1), deep(levels - 1)] });
    expect(() => index.search(deep(12), { algorithm: { kind: 'bm25' }, limit: 1 })).toThrow(IndexFullError);
    for (const call of [() => search(index, 'common'), () => index.add(1, []), () => index.prefix('c', 1)])
      expect(call).toThrow(IndexFullError);
  });
});

it('finds documents of which a field has some forms and nothing else', () => {
  const index = new InvertedIndex();
  const fields = [1, 6];
  const titles = ['of array', 'array of', 'array', 'array of arrays', 'array'];
  for (const [ord, text] of titles.entries())
    index.add(ord, [{ field: 0, text: 'an array of arrays' }, ...fields.map((field) => ({ field, text }))]);
  index.remove(4);
  for (const field of fields) {
    const consisting = (text: string) =>
      index.consistingOf(text.split(' ').map((form) => index.form(form)!), field, 10).sort();
    expect([consisting('array'), consisting('array of'), consisting('arrays'), consisting('an')]).toEqual([[2], [0, 1],
      [], []]);
  }
});
