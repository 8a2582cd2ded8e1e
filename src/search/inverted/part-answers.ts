import type { ScoringAlgorithm } from './algorithm.ts';
import type { Hit, IndexStats, SearchOptions, SearchResult } from './contract.ts';
import type { Field } from './fields.ts';
import { type FormNews, formNews, type FormPiece, formPiece, type FormState } from './form-log.ts';
import type { InvertedIndex } from './inverted-index.ts';
import type { Query, WeightedForm } from './query.ts';
import { formsBy, queryBy, type Renumber, rerankingsBy, wordsBy } from './renumbering.ts';
import type { Reranking, RerankStatistics, RerankWord } from './rerank.ts';
import { countingAll, type Statistics } from './statistics.ts';

/** What a request wants to know of a part first. */
export interface PartSummary extends FormNews {
  readonly size: number;
  readonly classes: number;
  readonly documentsByClass: readonly number[];
  readonly fieldNames: readonly string[];
  readonly version: string;
  readonly revision: number;
  readonly stats: IndexStats;
  /** Those of all fields (`countingAll`). */
  readonly statistics: Statistics;
}

/** Options of a search that are the same wherever it is done. */
export type SentOptions = Omit<SearchOptions, 'rerank' | 'spare'>;

/**
 * The questions of a `RemotePart`, and their answers by an index. In arguments, a form is the place of its text among
 * `texts`, from 1: so a question means the same for each replica of the part. Forms that the index does not have are
 * left out.
 */
const answers = {
  summary: (index: InvertedIndex, since: FormState): PartSummary => ({
    ...formNews(index, since),
    size: index.size,
    classes: index.classes,
    documentsByClass: index.documentsByClass(),
    fieldNames: index.fieldNames,
    version: index.version,
    revision: index.revision,
    stats: index.stats(),
    statistics: index.statistics(countingAll(index.fieldNames)),
  }),

  forms: (index: InvertedIndex, since: FormState, from: number): FormPiece => formPiece(index, since, from),

  countForms: (index: InvertedIndex, texts: readonly string[], field?: Field): Uint32Array =>
    index.countForms(texts.map((text) => index.form(text) ?? 0), field),

  documentsByField: (index: InvertedIndex, texts: readonly string[]): ReadonlyMap<Field, number>[] =>
    texts.map((text) => {
      const form = index.form(text);
      return form === undefined ? new Map() : index.documentsByField([form])[0]!;
    }),

  mayBeIn: (index: InvertedIndex, texts: readonly string[], field: number): boolean[] =>
    texts.map((text) => {
      const form = index.form(text);
      return form !== undefined && index.mayBeIn([form], field)[0]!;
    }),

  haveAny: (index: InvertedIndex, texts: readonly string[], ords: readonly number[]): boolean[] =>
    index.haveAny(texts.map((text) => index.form(text)).filter((form) => form !== undefined), ords),

  classesOf: (index: InvertedIndex, ords: readonly number[]): (number | undefined)[] => index.classesOf(ords),

  lengthsOf: (index: InvertedIndex, ords: readonly number[], field: number): number[] => index.lengthsOf(ords, field),

  documentsOfTerms: (index: InvertedIndex, texts: readonly string[], algorithm: ScoringAlgorithm,
    statistics: Statistics, terms: readonly (readonly WeightedForm[])[]): number[] =>
  {
    const numberOf = numbersIn(index, texts);
    return index.documentsOfTerms(algorithm, statistics, terms.map((forms) => formsBy(forms, numberOf)));
  },

  postingsOf: (index: InvertedIndex, texts: readonly string[], words: readonly RerankWord[]): number[] =>
    index.postingsOf(wordsBy(words, numbersIn(index, texts))),

  search: (index: InvertedIndex, texts: readonly string[], query: Query, options: SentOptions): SearchResult =>
    index.search(queryBy(query, numbersIn(index, texts)), options),

  rerank: (index: InvertedIndex, texts: readonly string[], hits: readonly Hit[], rerankings: readonly Reranking[],
    wanted: number, given: RerankStatistics): Hit[] =>
    // Documents that were removed since they were found are left out.
    index.rerank(hits.filter(({ ord }) => index.has(ord)), rerankingsBy(rerankings, numbersIn(index, texts)), wanted,
      given),
};

export type PartAnswers = typeof answers;
export type PartMethod = keyof PartAnswers;

/** Answers a question of a `RemotePart`. Throws a RangeError for a method that there is not. */
export function answerForPart(index: InvertedIndex, method: string, args: readonly unknown[]): unknown {
  if (!Object.hasOwn(answers, method)) throw new RangeError(`a part of an index of words has no method ${method}`);
  return (answers[method as PartMethod] as (index: InvertedIndex, ...args: readonly unknown[]) => unknown)(index,
    ...args);
}

function numbersIn(index: InvertedIndex, texts: readonly string[]): Renumber {
  const numbers = texts.map((text) => index.form(text) ?? 0);
  return (place) => numbers[place - 1] ?? 0;
}
