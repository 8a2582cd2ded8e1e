import { type InvertedIndex, type Query, RERANKED, type ScoringAlgorithm,
  within } from '../../../search/inverted/index.ts';
import { formsOf } from '../../../text/tokenize.ts';
import { CODE_CLASSES, isAmong } from './document-classes.ts';
import { exactForms } from './edits.ts';
import type { ReadableText, TermAnalyzer, TextHit, TextReading, WeightedTerm } from './text-index.ts';

/** A document that is taken as relevant. */
export interface RelevantText {
  readonly text: string;
  /** Score of the document, which weights its terms relative to those of the others. */
  readonly score: number;
}

/** How the words of relevant documents are read. */
export interface FeedbackRules {
  readonly analyzer: TermAnalyzer;
  readonly isStopWord: (form: string) => boolean;
}

/** Terms that add to the scores of documents of some classes. */
export interface Feedback {
  /** A bit for each class (see `document-classes.ts`). */
  readonly classes: number;
  readonly analyzer: TermAnalyzer;
  readonly terms: readonly WeightedTerm[];
}

type Index = Pick<InvertedIndex, 'group' | 'unstemmed' | 'countForms' | 'size'>;

/**
 * A query of at least this many words is taken to describe a subject. For a shorter one, the best two documents are
 * mostly one that answers it and one that does not.
 */
const LEAST_WORDS = 7;
/**
 * In a smaller collection, hardly any documents are about one subject, and how rare a word is says little: the
 * additional terms then draw the order to whatever is like the best two.
 */
const LEAST_DOCUMENTS = 1000;
/** Number of best documents of a language that are taken as relevant. */
const RELEVANT = 2;
/** Number of characters that are read of each document, because its beginning says what it is about. */
const CHARACTERS = 4000;
const TERMS = 32;
/** Weight of the heaviest term, relative to a term of the query. */
const WEIGHT = 1.5;
/** A term in a larger share of the documents distinguishes them too little, and takes long to search for. */
const MOST_SHARE = 0.1;
const NUMBER = /^[\d.]+$/;

/** Whether the best documents of a reading change the order of the others, in a collection of so many documents. */
export function takesFeedback({ classes, words = [] }: Pick<TextReading, 'classes' | 'words'>,
  documents: number): boolean
{
  return classes !== CODE_CLASSES && words.length >= LEAST_WORDS && documents >= LEAST_DOCUMENTS;
}

/** The best hits that are taken as relevant. */
export function relevantHits(index: Pick<ReadableText, 'classesOf'>, { classes }: Pick<TextReading, 'classes'>,
  hits: readonly TextHit[]): readonly TextHit[]
{
  const found = index.classesOf(hits.map(({ ord }) => ord));
  return hits.filter((_, i) => isAmong(found[i], classes)).slice(0, RELEVANT);
}

/**
 * The characteristic terms of documents which are taken as relevant (Rocchio, in Salton's The SMART Retrieval System,
 * 1971): by sublinear frequency and rarity, divided by the root of the text's length. The constants were chosen with
 * the judged collections of `bench/relevance.ts`; nearby values rank about as well.
 */
export function relevantTerms(index: Index, rules: FeedbackRules, documents: readonly RelevantText[]): WeightedTerm[] {
  const weights = new Map<number, WeightedTerm>();
  const all = documents.map(({ text }) => countTerms(index, text, rules));
  const rarities = raritiesOf(index, new Map(all.flatMap((terms) => [...terms])));
  for (const [i, { score }] of documents.entries()) {
    const terms = all[i]!;
    const length = [...terms.values()].reduce((sum, { count }) => sum + count, 0);
    for (const [term, { form, count }] of terms) {
      const weight = score * (1 + Math.log(count)) * rarities.get(term)! / Math.sqrt(length);
      weights.set(term, { form, weight: weight + (weights.get(term)?.weight ?? 0) });
    }
  }
  const best = [...weights.values()].filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight).slice(0,
    TERMS);
  return best.map(({ form, weight }) => ({ form, weight: WEIGHT * weight / best[0]!.weight }));
}

/**
 * Reorders the best hits by adding the scores of further terms to theirs; the other hits follow. `factors`: of scores,
 * by ordinal.
 */
export function rescored(index: Index & Pick<InvertedIndex, 'search'>, hits: readonly TextHit[],
  feedback: readonly Feedback[], algorithm: ScoringAlgorithm, factors?: Float32Array): readonly TextHit[]
{
  const best = hits.slice(0, RERANKED);
  const query: Query = { kind: 'or', of: feedback.map((one) => within(toQuery(index, one), one.classes)) };
  const { scores } = index.search(query, { algorithm, limit: 0, scoresOf: best.map(({ ord }) => ord) });
  const added = best.map(({ ord, score }, i) => ({
    ord,
    score: Math.fround(score + Math.max(0, scores![i]!) * (factors?.[ord] ?? 1)),
  }));
  return [...added.sort((a, b) => b.score - a.score || a.ord - b.ord), ...hits.slice(RERANKED)];
}

function toQuery(index: Index, { analyzer, terms }: Feedback): Query {
  return {
    kind: 'or',
    of: terms.map(({ form, weight }): Query => ({
      kind: 'term',
      forms: exactForms(index, analyzer, form).map((id) => ({ id })),
      weight,
    })),
  };
}

interface CountedTerm {
  /** The first of its forms. */
  readonly form: string;
  /** Numbers of all its forms. */
  readonly forms: readonly number[];
  count: number;
}

/** The terms of a text, by the number of their first form; words that are not in the index are left out. */
function countTerms(index: Index, text: string, { analyzer, isStopWord }: FeedbackRules): Map<number, CountedTerm> {
  const counts = new Map<string, number>();
  for (const form of formsOf(text.slice(0, CHARACTERS).toWellFormed())) counts.set(form, (counts.get(form) ?? 0) + 1);
  const terms = new Map<number, CountedTerm>();
  for (const [form, count] of counts) {
    if (NUMBER.test(form) || isStopWord(form)) continue;
    const forms = exactForms(index, analyzer, form);
    if (forms.length === 0) continue;
    const known = terms.get(forms[0]!);
    if (known === undefined) terms.set(forms[0]!, { form, forms, count });
    else known.count += count;
  }
  return terms;
}

/** Inverse document frequencies; 0 for terms that do not help to find other documents. */
function raritiesOf(index: Index, terms: ReadonlyMap<number, Pick<CountedTerm, 'forms'>>): Map<number, number> {
  const live = index.size;
  const counts = index.countForms([...terms.values()].flatMap(({ forms }) => forms));
  const rarities = new Map<number, number>();
  let next = 0;
  for (const [term, { forms }] of terms) {
    const frequency = counts.subarray(next, next += forms.length).reduce((sum, count) => sum + count, 0);
    rarities.set(term, frequency < 2 || frequency > live * MOST_SHARE ? 0 : Math.log(1 + live / frequency));
  }
  return rarities;
}
