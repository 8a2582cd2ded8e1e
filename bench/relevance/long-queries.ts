import { analyzerFor } from '../../src/text/languages/index.ts';
import { formsOf } from '../../src/text/tokenize.ts';
import type { Judged } from './judged.ts';
import type { Rankings } from './quire.ts';

/** A judged collection of long queries. */
export interface LongQueries {
  readonly judged: Judged;
  /** The same queries with each term once: repetitions in any inflection are left out. */
  readonly once: Judged;
  /** Removes the documents whose titles are part of the query from rankings. */
  residual(rankings: Rankings): Rankings;
}

/**
 * A collection whose queries are joined with the titles of half of their relevant documents, as if the user had already
 * read some. Those documents are removed from rankings and judgements, because their titles would reveal them
 * ("residual collection", Salton and Buckley, 1990). Queries with fewer than two titled relevant documents are left
 * out.
 */
export function longQueriesOf({ name, documents, queries, relevance }: Judged): LongQueries {
  const titles = new Map(documents.filter(({ title }) => title !== '').map(({ id, title }) => [id, title]));
  const lenders = new Map<string, ReadonlySet<string>>();
  for (const { id } of queries) {
    const answers = [...relevance.get(id) ?? []].filter(([document, value]) => value > 0 && titles.has(document)).map((
      [document],
    ) => document).sort((a, b) => Number(a) - Number(b));
    if (answers.length > 1) lenders.set(id, new Set(answers.filter((_, i) => i % 2 === 1)));
  }
  const judged: Judged = {
    name: `${name}-long`,
    documents,
    queries: queries.filter(({ id }) => lenders.has(id)).map(({ id, text }) => ({
      id,
      text: [text, ...[...lenders.get(id)!].map((document) => titles.get(document)!)].join(' '),
    })),
    relevance: new Map(
      [...lenders].map(([id, given]) => [id, new Map([...relevance.get(id)!].filter(([document]) =>
        !given.has(document)
      ))]),
    ),
  };
  return {
    judged,
    once: { ...judged, queries: judged.queries.map(({ id, text }) => ({ id, text: eachTermOnce(text) })) },
    residual: (rankings) =>
      new Map(
        [...rankings].map(([id, ranking]) => [id, ranking.filter((document) => !lenders.get(id)!.has(document))]),
      ),
  };
}

function eachTermOnce(text: string): string {
  const { term } = analyzerFor('en', { stemming: true, stopWords: 'none' });
  const seen = new Set<string | undefined>();
  return formsOf(text).filter((form) => seen.size < seen.add(term(form)).size).join(' ');
}
