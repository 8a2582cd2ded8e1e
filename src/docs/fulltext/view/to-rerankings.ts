import type { InvertedIndex, Reranking } from '../../../search/inverted/index.ts';
import type { TextReading } from './text-index.ts';
import { exactForms } from './to-index-query.ts';

/** The words that reranking searches for, by the readings of a query for classes that have documents. */
export function toRerankings(index: Pick<InvertedIndex, 'classes' | 'form' | 'group' | 'unstemmed'>,
  readings: readonly TextReading[]): Reranking[]
{
  const present = index.classes;
  return readings.filter(({ classes, words = [] }) => (classes & present) !== 0 && words.length > 0).map((
    { classes, analyzer, words },
  ) => ({
    classes,
    words: words!.map(({ form, ...place }) => ({
      ...place,
      forms: [...new Set(exactForms(index, analyzer, form))],
      exact: index.form(form),
    })),
  }));
}
