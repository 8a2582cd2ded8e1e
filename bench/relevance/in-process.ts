import { PROSE_CLASSES } from '../../src/docs/fulltext/view/document-classes.ts';
import { planQuery } from '../../src/docs/fulltext/search/query-plan.ts';
import { toWeights } from '../../src/docs/fulltext/view/field-weights.ts';
import { termAnalyzer } from '../../src/docs/fulltext/view/analyzers.ts';
import { invertedIndexes } from '../../src/docs/fulltext/view/inverted-text-index.ts';
import type { Algorithm, TextIndex } from '../../src/docs/fulltext/view/text-index.ts';
import { toIndexed } from '../../src/docs/fulltext/view/to-indexed.ts';
import { defaultStopWords } from '../../src/text/languages/index.ts';
import type { Rankings } from './quire.ts';

/** A full-text index of the service in this process, without a database: for fitting, which asks thousands of queries. */
export class IndexInProcess {
  readonly #index: TextIndex = invertedIndexes().create();
  readonly #ids: string[] = [];

  constructor(documents: Iterable<{ readonly id: string; readonly title: string; readonly text: string }>) {
    const analyzer = termAnalyzer('en', true);
    for (const { id, title, text } of documents) {
      const meta: Record<string, string[]> = title === '' ? {} : { title: [title] };
      const steps = this.#index.put(toIndexed({ ord: this.#ids.push(id) - 1, key: id, lang: 'en', meta, contentMd: text }, analyzer));
      while (steps?.() === true);
    }
  }

  /** Ids of the best documents of a query in simple mode, and their scores. */
  rank(query: string, algorithm: Algorithm, limit: number): { id: string; score: number }[] {
    const { readings } = planQuery(query, {
      mode: 'simple', distance: 0, fuzzy: 0, stemming: true, synonymsOf: undefined,
      languages: [{ lang: 'en', stopWords: defaultStopWords('en'), classes: PROSE_CLASSES }],
    });
    const { hits } = this.#index.search({ readings, algorithm, fieldWeights: toWeights(), limit });
    return hits.map(({ ord, score }) => ({ id: this.#ids[ord]!, score }));
  }

  rankings(queries: Iterable<{ readonly id: string; readonly text: string }>, algorithm: Algorithm, limit: number): Rankings {
    return new Map(Array.from(queries, ({ id, text }) => [id, this.rank(text, algorithm, limit).map((hit) => hit.id)]));
  }
}
