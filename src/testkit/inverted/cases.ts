import fc from 'fast-check';
import { expect } from 'vitest';
import type { ScoringAlgorithm } from '../../search/inverted/algorithm.ts';
import { type Addition, type Field, type FieldText, InvertedIndex, type Query, type Segment, SegmentBuilder,
  type WeightedForm, within } from '../../search/inverted/index.ts';
import { NAMED_WEIGHT, type ReferenceIndex, type Scores, type Word, type WordQuery } from './reference.ts';

// Shared by tests of the index: random documents, steps and queries, and the comparison with the reference.

/** Scores are sums of 32-bit floats; the reference uses 64 bits. */
const TOLERANCE = 1e-4;

// Words that recur often, so that random phrases occur; the last is in most documents.
export const WORDS = ['ant', 'bee', 'cow', 'dog', 'eel', 'fox', 'naïve', 'the'];
const word = fc.oneof({ weight: 3, arbitrary: fc.constant('the') }, { weight: 8, arbitrary: fc.constantFrom(...WORDS) },
  fc.stringMatching(/^[a-z]{2}$/));
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
const codeTokens = fc.array(fc.record({ form: word, step: fc.integer({ min: 0, max: 2 }) }), { maxLength: 6 }).map(
  (list) => {
    let position = 0;
    return list.map(({ form, step }) => ({ form, position: position += step }));
  },
);
const NAMED = ['author', 'status', 'faq.0.answer', '__proto__', ''];
const field: fc.Arbitrary<Field> = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, {
  weight: 2,
  arbitrary: fc.integer({ min: 1, max: 7 }),
}, { weight: 2, arbitrary: fc.constantFrom(...NAMED) });
export const value: fc.Arbitrary<FieldText> = fc.oneof({ weight: 5, arbitrary: fc.record({ field, text }) },
  fc.record({ field, tokens: codeTokens }));
const ord = fc.integer({ min: 0, max: 20 });

/** Most documents share a class, so that queries for that class alone have results. */
const documentClass = fc.constantFrom(0, 0, 0, 1, 5, 31);
const classes = fc.constantFrom(undefined, undefined, undefined, 0b1, 0b10, 0b100010, 0b100001, 1 << 31, 0xffff_ffff);

interface NewDocument {
  readonly add: number;
  readonly fields: FieldText[];
  readonly documentClass: number;
}
const newDocument = fc.record({ add: ord, fields: fc.array(value, { maxLength: 5 }), documentClass });

export type Step = (NewDocument & { inSteps: boolean }) | { merge: readonly NewDocument[]; inSteps: boolean } | {
  remove: number;
} | 'compact' | 'go on' | 'reload';
export const step: fc.Arbitrary<Step> = fc.oneof({
  weight: 8,
  arbitrary: fc.tuple(newDocument, fc.boolean()).map(([document, inSteps]) => ({ ...document, inSteps })),
}, {
  weight: 4,
  arbitrary: fc.record({ merge: fc.array(newDocument, { minLength: 1, maxLength: 8 }), inSteps: fc.boolean() }),
}, { weight: 2, arbitrary: fc.record({ remove: ord }) }, fc.constant('compact' as const), fc.constant('go on' as const),
  fc.constant('reload' as const));

const weight = fc.constantFrom(0.25, 1, 1, 1, 2);
const wordList = fc.uniqueArray(fc.record({ form: fc.constantFrom(...WORDS, 'zebra'), weight }), {
  minLength: 1,
  maxLength: 3,
  selector: ({ form }) => form,
});
const phraseWords = fc.array(fc.record({ words: wordList, gap: fc.integer({ min: 1, max: 2 }) }), {
  minLength: 1,
  maxLength: 3,
}).map((words) => {
  let offset = 0;
  return words.map((each, i) => ({ words: each.words, offset: offset += i === 0 ? 0 : each.gap }));
});
function inClasses<T extends WordQuery>(leaf: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.tuple(leaf, classes).map(([of, some]) => (some === undefined ? of : { ...of, classes: some }));
}
const lone = fc.record({ kind: fc.constant('term' as const), words: wordList, weight });
/** Nodes that may be counted: operators of terms, but no counting nodes. */
const counted: fc.Arbitrary<WordQuery> = fc.oneof({ weight: 3, arbitrary: inClasses(lone) }, fc.record({
  kind: fc.constantFrom('and' as const, 'or' as const, 'best' as const),
  of: fc.array(lone, { maxLength: 3 }),
}));
export const { query } = fc.letrec<{ query: WordQuery }>((tie) => ({
  query: fc.oneof({ maxDepth: 3, depthSize: 'small' }, inClasses(lone),
    inClasses(fc.record({ kind: fc.constant('phrase' as const), words: phraseWords, weight })), inClasses(fc.record({
      kind: fc.constant('phrase' as const),
      words: phraseWords,
      slop: fc.integer({ min: 0, max: 4 }),
      weight,
    })), fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const, 'best' as const),
      of: fc.array(tie('query'), { maxLength: 4 }),
    }), fc.record({
      kind: fc.constant('some' as const),
      of: fc.array(counted, { maxLength: 5 }),
      least: fc.integer({ min: 1, max: 4 }),
    }), fc.record({ kind: fc.constant('not' as const), of: tie('query') }),
    inClasses(fc.record({ kind: fc.constant('all' as const) })), fc.record({ kind: fc.constant('none' as const) }),
    fc.record({ kind: fc.constant('within' as const), of: tie('query'), classes: fc.integer() })),
}));
const ALL_FIELDS: readonly Field[] = [0, 1, 2, 3, 4, 5, 6, 7, ...NAMED, 'never seen'];
const fields = fc.subarray([...ALL_FIELDS], { minLength: 1 });
const weights = fc.array(fc.tuple(fc.constantFrom(...ALL_FIELDS), fc.constantFrom(0, 1, 1.5, 3)), {
  minLength: 1,
  maxLength: 6,
}).map((list) => new Map(list));
export const algorithm: fc.Arbitrary<ScoringAlgorithm> = fc.oneof(fc.record({ kind: fc.constant('tfidf' as const) }),
  fc.record({ kind: fc.constant('bm25' as const) }),
  fc.record({ kind: fc.constant('bm25' as const), k1: fc.constantFrom(0.9, 1.5), b: fc.constantFrom(0.4, 1), fields }),
  fc.record({
    kind: fc.constant('tfidf' as const),
    weights: fc.array(fc.tuple(fc.integer({ min: 0, max: 7 }), fc.constantFrom(0, 0.5, 1, 3)), {
      minLength: 1,
      maxLength: 6,
    }).map((list) => new Map(list)),
  }), fc.record({
    kind: fc.constant('tfidf' as const),
    weights: fc.array(fc.constantFrom<Field>(0, 1, 3, 5, ...NAMED, 'never seen'), { minLength: 1, maxLength: 4 }).map((
      list,
    ) => new Map(list.map((field) => [field, NAMED_WEIGHT]))),
  }), fc.record({ kind: fc.constant('bm25f' as const), weights }));

export function toQuery(index: Pick<InvertedIndex, 'form'>, words: WordQuery): Query {
  const forms = (list: readonly Word[]): WeightedForm[] =>
    list.flatMap(({ form, weight: w }) => {
      const id = index.form(form);
      return id === undefined ? [] : [{ id, weight: w ?? 1 }];
    });
  switch (words.kind) {
    case 'term':
      return { kind: 'term', forms: forms(words.words), weight: words.weight ?? 1, classes: words.classes };
    case 'phrase':
      return {
        kind: 'phrase',
        words: words.words.map((each) => ({ forms: forms(each.words), offset: each.offset })),
        slop: words.slop,
        weight: words.weight ?? 1,
        classes: words.classes,
      };
    case 'not':
      return { kind: 'not', of: toQuery(index, words.of) };
    case 'some':
      return { ...words, of: words.of.map((each) => toQuery(index, each)) };
    case 'within':
      return within(toQuery(index, words.of), words.classes);
    case 'all':
    case 'none':
      return words;
    default:
      return { kind: words.kind, of: words.of.map((each) => toQuery(index, each)) };
  }
}

/** The query without words that are not in the index, because the builder of a query has no number for them. */
export function known(index: InvertedIndex, words: WordQuery): WordQuery {
  const kept = (list: readonly Word[]) => list.filter(({ form }) => index.form(form) !== undefined);
  switch (words.kind) {
    case 'term':
      return { ...words, words: kept(words.words) };
    case 'phrase':
      return { ...words, words: words.words.map((each) => ({ ...each, words: kept(each.words) })) };
    case 'not':
      return { kind: 'not', of: known(index, words.of) };
    case 'some':
      return { ...words, of: words.of.map((each) => known(index, each)) };
    case 'within':
      return { ...words, of: known(index, words.of) };
    case 'all':
    case 'none':
      return words;
    default:
      return { kind: words.kind, of: words.of.map((each) => known(index, each)) };
  }
}

function setBits(words: Uint32Array): number[] {
  return [...words.keys()].flatMap((i) =>
    Array.from({ length: 32 }, (_, bit) => bit).filter((bit) => (words[i]! >>> bit) & 1).map((bit) => i * 32 + bit)
  );
}

/** Compares everything that a search returns with the scores of the reference. */
export function expectSame(index: InvertedIndex, words: WordQuery, scores: Scores, by: ScoringAlgorithm,
  limit: number): void
{
  const translated = toQuery(index, words);
  const asked = [...scores.keys(), 19, 20, 700];
  const all = index.search(translated, { algorithm: by, limit: 10_000, collect: true, scoresOf: asked });
  expect(all.total).toBe(scores.size);
  expect(setBits(all.matches!)).toEqual([...scores.keys()].sort((a, b) => a - b));
  expect(all.hits.length).toBe(scores.size);
  for (const [i, { ord: hit, score }] of all.hits.entries()) {
    expect(Math.abs(score - scores.get(hit)!)).toBeLessThanOrEqual(TOLERANCE * Math.max(1, scores.get(hit)!));
    const next = all.hits[i + 1];
    if (next) expect(score > next.score || (score === next.score && hit < next.ord)).toBe(true);
  }
  const byOrd = new Map(all.hits.map((hit) => [hit.ord, hit.score]));
  expect([...all.scores!]).toEqual(asked.map((each) => byOrd.get(each) ?? -1));
  expect(index.search(translated, { algorithm: by, limit }).hits).toEqual(all.hits.slice(0, limit));
  expectFiltered(index, translated, all.hits, by, limit);
}

/** A filter and multipliers have the same effect as if they were applied to the whole result. */
function expectFiltered(index: InvertedIndex, translated: Query, hits: readonly { ord: number; score: number }[],
  by: ScoringAlgorithm, limit: number): void
{
  const filter = new Uint32Array([0x5a5a_5a5a]);
  const multipliers = Float32Array.from({ length: 10 }, (_, i) => [1, 0.5, 3][i % 3]!);
  const expected = hits.filter((hit) => hit.ord < 32 && (filter[0]! >>> hit.ord) & 1).map((hit) => ({
    ord: hit.ord,
    score: Math.fround(hit.score * (multipliers[hit.ord] ?? 1)),
  })).sort((a, b) => b.score - a.score || a.ord - b.ord);
  const found = index.search(translated, { algorithm: by, limit, filter, multipliers });
  expect(found).toEqual({ hits: expected.slice(0, limit), total: expected.length });
}

/** Lets random cases examine the state between steps. */
export const SMALL_STEPS = { compactionStep: 3, additionStep: 5 } as const;

/** Searches between the steps see the documents before the current step. */
function completeInSteps(index: InvertedIndex, reference: ReferenceIndex, addition: Addition): void {
  const documents = reference.documentsByForm();
  while (addition.step(0, () => 0)) {
    const forms = WORDS.flatMap((form) => index.form(form) ?? []);
    for (const id of forms) expect(index.documents(id)).toBe(documents.get(index.textOf(id)) ?? 0);
    const { total } = index.search({ kind: 'or', of: forms.map((id) => ({ kind: 'term', forms: [{ id }] })) }, {
      algorithm: { kind: 'bm25' },
      limit: 1,
    });
    expect(total).toBe(
      reference.search({ kind: 'or', of: WORDS.map((form) => ({ kind: 'term', words: [{ form }] })) }, { kind: 'bm25' })
        .size,
    );
  }
}

/** Makes a segment for an index as another thread would. */
export function segmentOf(index: InvertedIndex, documents: readonly Pick<NewDocument, 'fields' | 'documentClass'>[],
  build: 'debug' | 'release'): Segment
{
  const builder = BUILDERS[build] ??= new SegmentBuilder(build, SMALL_STEPS.additionStep);
  builder.begin(index.fieldNames);
  for (const { fields: texts, documentClass: number } of documents) builder.add(texts, number);
  return builder.finish()!;
}

/** One builder makes many segments, as in a thread. */
const BUILDERS: { debug?: SegmentBuilder; release?: SegmentBuilder } = {};

async function reload(index: InvertedIndex, build: 'debug' | 'release'): Promise<InvertedIndex> {
  return InvertedIndex.load(index.save(7n), [], { build, ...SMALL_STEPS });
}

export async function take(index: InvertedIndex, reference: ReferenceIndex, next: Step,
  build: 'debug' | 'release'): Promise<InvertedIndex>
{
  if (next === 'reload') return reload(index, build);
  if (next === 'compact') index.compact(0, true, () => 0);
  else if (next === 'go on') index.compact(0, false, () => 0);
  else if ('remove' in next) expect(index.remove(next.remove)).toBe(reference.remove(next.remove));
  else if ('merge' in next) {
    const addition = index.beginMerge(next.merge.map(({ add }) => add), segmentOf(index, next.merge, build))!;
    if (next.inSteps) completeInSteps(index, reference, addition);
    else addition.step(Infinity);
    for (const { add, fields: texts, documentClass: number } of next.merge) reference.add(add, texts, number);
  } else {
    if (next.inSteps)
      completeInSteps(index, reference, index.beginAdd(next.add, next.fields, undefined, next.documentClass));
    else index.add(next.add, next.fields, undefined, next.documentClass);
    reference.add(next.add, next.fields, next.documentClass);
  }
  return index;
}
