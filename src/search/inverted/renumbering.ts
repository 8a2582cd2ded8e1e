import { queryInPart } from './part-queries.ts';
import type { Query, WeightedForm } from './query.ts';
import type { Reranking, RerankWord } from './rerank.ts';

/** The number of a form elsewhere; 0 if it is not there. */
export type Renumber = (form: number) => number;

/** Forms by other numbers; those that have none are left out. */
export function formsBy(forms: readonly WeightedForm[], numberOf: Renumber): WeightedForm[] {
  const renumbered: WeightedForm[] = [];
  for (const { id, weight } of forms) {
    const own = numberOf(id);
    if (own !== 0) renumbered.push(weight === undefined ? { id: own } : { id: own, weight });
  }
  return renumbered;
}

/** A query with other numbers of its forms. Words of phrases keep their names. */
export function queryBy(query: Query, numberOf: Renumber): Query {
  return queryInPart(query, (forms) => ({ forms: formsBy(forms, numberOf) }));
}

export function wordsBy(words: readonly RerankWord[], numberOf: Renumber): RerankWord[] {
  return words.map(({ forms, exact, ...word }): RerankWord => ({
    ...word,
    forms: forms.map(numberOf).filter((form) => form !== 0),
    exact: exact === undefined ? undefined : numberOf(exact) || undefined,
  }));
}

export function rerankingsBy(rerankings: readonly Reranking[], numberOf: Renumber): Reranking[] {
  return rerankings.map(({ words, classes }) => ({ classes, words: wordsBy(words, numberOf) }));
}
