import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { algorithm, query, segmentOf, SMALL_STEPS, type Step, step, toQuery } from '../../testkit/inverted/cases.ts';
import type { WordQuery } from '../../testkit/inverted/reference.ts';
import { Loopback } from '../../testkit/parts/loopback.ts';
import type { Hit, SearchOptions, SearchResult } from './contract.ts';
import { InvertedIndex } from './inverted-index.ts';
import { answerForPart } from './part-answers.ts';
import { PartitionedIndex, type SearchableIndex } from './partitioned-index.ts';
import { RemotePart } from './remote-part.ts';

type Build = 'debug' | 'release';

function standIn(loopback: Loopback, part: InvertedIndex): RemotePart {
  return new RemotePart(loopback.add((method, args) => answerForPart(part, method, args)));
}

/** One index with all documents, and several with a part of them each. */
class Both {
  readonly one: InvertedIndex;
  readonly parts: readonly InvertedIndex[];
  readonly many: PartitionedIndex;
  readonly loopback = new Loopback();
  readonly #build: Build;

  /** `elsewhere`: a bit for each part that is asked as one in another process. */
  constructor(parts: number, build: Build, elsewhere = 0) {
    this.#build = build;
    const options = { build, ...SMALL_STEPS };
    this.one = new InvertedIndex(options);
    this.parts = Array.from({ length: parts }, () => new InvertedIndex(options));
    this.many = new PartitionedIndex(
      this.parts.map((part, i) => ((elsewhere >> i) & 1 ? standIn(this.loopback, part) : part)),
      build,
    );
  }

  partOf(ord: number): InvertedIndex {
    return this.parts[(ord * 7 + (ord >> 2)) % this.parts.length]!;
  }

  take(next: Step): void {
    if (next === 'reload') return;
    if (next === 'compact' || next === 'go on') {
      for (const index of [this.one, ...this.parts]) index.compact(0, next === 'compact', () => 0);
    } else if ('remove' in next) {
      for (const index of [this.one, this.partOf(next.remove)]) index.remove(next.remove);
    } else if ('merge' in next) this.#merge(next.merge);
    else {
      for (const index of [this.one, this.partOf(next.add)])
        index.add(next.add, next.fields, undefined, next.documentClass);
    }
  }

  #merge(documents: Extract<Step, { merge: unknown }>['merge']): void {
    for (const index of [this.one, ...this.parts]) {
      const own = index === this.one ? documents : documents.filter(({ add }) => this.partOf(add) === index);
      if (own.length > 0)
        index.beginMerge(own.map(({ add }) => add), segmentOf(index, own, this.#build))!.step(Infinity);
    }
  }

  /** Removes everything of deleted documents, of which each index otherwise has another share. */
  compactAll(): void {
    for (const index of [this.one, ...this.parts]) while (index.compact(0, true, () => 0));
  }
}

const parts = fc.integer({ min: 2, max: 8 });
const steps = fc.array(step, { minLength: 1, maxLength: 40, size: 'max' });
const FILTER = new Uint32Array([0x5a5a_5a5a]);
const MULTIPLIERS = Float32Array.from({ length: 10 }, (_, i) => [1, 0.5, 3][i % 3]!);
const OPTIONS: readonly Omit<SearchOptions, 'algorithm' | 'limit'>[] = [{}, {
  collect: true,
  scoresOf: [0, 3, 19, 20, 700],
}, { filter: FILTER, multipliers: MULTIPLIERS }, { filter: FILTER }, { totals: 'none' }];

/** Sums of 32-bit floats may be added in another order. */
const TOLERANCE = 1e-6;

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a));
}

/** The same hits in the same order, except that those whose scores hardly differ may be in another one. */
function expectHits(found: readonly Hit[], wanted: readonly Hit[]): void {
  expect(found.map(({ score }, i) => isNear(score, wanted[i]?.score ?? -1) ? wanted[i]!.score : score)).toEqual(
    wanted.map(({ score }) => score),
  );
  const byOrd = new Map(wanted.map((hit) => [hit.ord, hit.score]));
  const last = wanted.at(-1)?.score ?? 0;
  for (const { ord, score } of found) expect(isNear(byOrd.get(ord) ?? last, score)).toBe(true);
}

function expectSame(found: SearchResult, wanted: SearchResult): void {
  expectHits(found.hits, wanted.hits);
  expect([found.total, found.isLowerBound]).toEqual([wanted.total, wanted.isLowerBound]);
  expect(ordinalsOf(found.matches)).toEqual(ordinalsOf(wanted.matches));
  const scores = [...wanted.scores ?? []];
  expect([...found.scores ?? []].map((score, i) => (isNear(score, scores[i]!) ? scores[i] : score))).toEqual(scores);
}

function ordinalsOf(matches: Uint32Array | undefined): number[] | undefined {
  return matches &&
    [...matches].flatMap((bits, word) =>
      Array.from({ length: 32 }, (_, bit) => bit).filter((bit) => (bits >>> bit) & 1).map((bit) => word * 32 + bit)
    );
}

function search(index: SearchableIndex, words: WordQuery, options: SearchOptions): SearchResult {
  return index.search(toQuery(index, words), options);
}

describe.each(['release', 'debug'] as const)('the %s build', (build) => {
  const numRuns = build === 'debug' ? 30 : 120;

  it('finds, scores and counts in several indexes what it does in one', () => {
    fc.assert(
      fc.property(parts, steps, fc.array(fc.tuple(query, algorithm), { minLength: 3, maxLength: 3 }), fc.nat(25),
        (count, all, queries, limit) => {
          const both = new Both(count, build);
          for (const next of all) both.take(next);
          expect([both.many.size, both.many.classes]).toEqual([both.one.size, both.one.classes]);
          expect(both.many.documentsByClass()).toEqual(both.one.documentsByClass());
          for (const [words, by] of queries) {
            for (const options of OPTIONS) {
              const asked = { ...options, algorithm: by, limit };
              const wanted = search(both.one, words, asked);
              const found = search(both.many, words, asked);
              // One index may skip documents where several do not.
              if (options.totals !== undefined) expectHits(found.hits, wanted.hits);
              else expectSame(found, wanted);
            }
          }
        }),
      { numRuns },
    );
  });
});

it('finds in indexes of which some are in other processes what it does in one', () =>
  fc.assert(
    fc.asyncProperty(parts, fc.integer({ min: 1, max: 255 }), steps,
      fc.array(fc.tuple(query, algorithm), { minLength: 2, maxLength: 2 }), fc.nat(25),
      async (count, elsewhere, all, queries, limit) => {
        const both = new Both(count, 'debug', elsewhere);
        const read = <T>(work: (index: SearchableIndex) => T): Promise<T> =>
          both.loopback.request(() => work(both.many));
        for (const [i, next] of all.entries()) {
          both.take(next);
          // Forms join and leave between requests, and what is asked is what the part has then.
          if (i % 5 === 0) expect(await read((index) => index.size)).toBe(both.one.size);
          if (i % 7 === 0) await read((index) => index.form('ant'));
        }
        expect(await read((index) => [index.classes, index.documentsByClass()])).toEqual([both.one.classes,
          both.one.documentsByClass()]);
        for (const [words, by] of queries) {
          for (const options of OPTIONS) {
            const asked = { ...options, algorithm: by, limit };
            const wanted = search(both.one, words, asked);
            const found = await read((index) => search(index, words, asked));
            if (options.totals !== undefined) expectHits(found.hits, wanted.hits);
            else expectSame(found, wanted);
          }
        }
      }),
    { numRuns: 40 },
  ));

describe('an index in another process', () => {
  const forms = (index: SearchableIndex, ...words: string[]) => words.map((word) => ({ id: index.form(word)! }));
  const searched = (index: SearchableIndex) => {
    const [id] = [index.form('ant')!];
    return index.search({
      kind: 'or',
      of: [{ kind: 'term', forms: forms(index, 'ant') }, { kind: 'term', forms: forms(index, 'bee') }],
    }, {
      algorithm: { kind: 'bm25' },
      limit: 10,
      rerank: [{ classes: ~0, words: [{ forms: [id], exact: id, offset: 0, glued: false, identifier: false }] }],
    });
  };

  it('needs four rounds for a search that reranks, and two for what words are counted', async () => {
    const loopback = new Loopback();
    const own = ['ant bee', 'ant', 'bee fox'].map((text, ord) => {
      const index = new InvertedIndex();
      index.add(ord, [{ field: 0, text }]);
      return index;
    });
    const many = new PartitionedIndex([own[0]!, ...own.slice(1).map((part) => standIn(loopback, part))]);
    // The first request also reads the forms of all parts.
    await loopback.request(() => many.form('ant'));
    expect(loopback.rounds).toBe(2);
    const { hits } = await loopback.request(() => searched(many));
    expect([hits.map(({ ord }) => ord).sort(), loopback.rounds]).toEqual([[0, 1, 2], 4]);
    await loopback.request(() => many.countForms([many.form('ant')!, many.form('fox')!]));
    expect(loopback.rounds).toBe(2);
    // What the summary tells needs no more than that.
    await loopback.request(() => [many.size, many.classes, many.stats(), many.fieldNames, many.revision]);
    expect(loopback.rounds).toBe(1);
  });

  it('may lose a document, or a form, between two questions', async () => {
    const loopback = new Loopback();
    const part = new InvertedIndex({ build: 'debug' });
    part.add(0, [{ field: 0, text: 'ant' }]);
    part.add(1, [{ field: 0, text: 'ant bee' }]);
    const lossy = loopback.add((method, args) => {
      if (method === 'rerank') {
        part.remove(1);
        while (part.compact(0, true, () => 0));
      }
      return answerForPart(part, method, args);
    });
    const many = new PartitionedIndex([new RemotePart(lossy)], 'debug');
    const { hits } = await loopback.request(() => searched(many));
    expect(hits.map(({ ord }) => ord)).toEqual([0]);
    expect(await loopback.request(() => many.form('bee'))).toBeUndefined();
  });

  it('refuses what it does not know, and passes on what a part refuses', async () => {
    expect(() => answerForPart(new InvertedIndex(), 'toString', [])).toThrow(RangeError);
    const loopback = new Loopback();
    const part = new InvertedIndex();
    part.add(0, [{ field: 0, text: 'ant' }]);
    const many = new PartitionedIndex([standIn(loopback, part)]);
    await expect(
      loopback.request(() =>
        many.search({ kind: 'term', forms: forms(many, 'ant') }, { algorithm: { kind: 'bm25', k1: -1 }, limit: 1 })
      ),
    ).rejects.toThrow(RangeError);
  });
});

it('tells words of a loose phrase apart that are the same in one of the indexes', () => {
  const indexes = [new InvertedIndex(), new InvertedIndex()];
  indexes[0]!.add(0, [{ field: 0, text: 'joined' }]);
  indexes[1]!.add(1, [{ field: 0, text: 'first second' }]);
  const many = new PartitionedIndex(indexes);
  const forms = (...words: string[]) => words.map((word) => ({ id: many.form(word)! }));
  const { hits } = many.search({
    kind: 'phrase',
    words: [{ forms: forms('second', 'joined'), offset: 0 }, { forms: forms('first', 'joined'), offset: 1 }],
    slop: 3,
  }, { algorithm: { kind: 'bm25' }, limit: 10 });
  expect(hits.map(({ ord }) => ord).sort()).toEqual([0, 1]);
});
