import type { Ask } from '../peers/filters/index.ts';

export const COLLECTION = 'filtered';

/** A query as sent to our service: an operation, its path and its input. */
export interface Request {
  readonly operation: 'searchFullText' | 'searchDocuments' | 'aggregateDocuments';
  readonly path: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export function requestOf(ask: Ask): Request {
  const narrowed = {
    collection: COLLECTION,
    ...(ask.filter && { filterMeta: { [ask.filter[0]]: [ask.filter[1]] } }),
  };
  if (ask.words !== undefined)
    return { operation: 'searchFullText', path: '/v1/fts', input: { ...narrowed, ...wordsOf(ask), ...pageOf(ask) } };
  const counted = ask.facet ?? ask.histogram;
  if (counted === undefined)
    return {
      operation: 'searchDocuments',
      path: '/v1/search',
      input: { ...narrowed, ...(ask.sort && { sort: `${ask.sort}:desc` }), ...pageOf(ask) },
    };
  return {
    operation: 'aggregateDocuments',
    path: '/v1/aggregate',
    input: { ...narrowed, facets: [{ field: counted }], maxFacetSize: ask.histogram === undefined ? 50 : 366 },
  };
}

function wordsOf({ words = [], match = 'any', days, facet }: Ask): object {
  const read = {
    any: { mode: 'simple', query: words.join(' ') },
    all: { mode: 'boolean', query: words.join(' AND ') },
    phrase: { mode: 'phrase', query: `"${words.join(' ')}"` },
  };
  return {
    algorithm: 'bm25',
    ...read[match],
    ...(days && { rangeMeta: [{ field: 'day', gte: days[0], lte: days[1] }] }),
    ...(facet && { facetBy: [facet] }),
  };
}

function pageOf({ offset = 0 }: Ask): object {
  return { limit: 10, ...(offset > 0 && { offset }), fields: ['key'] };
}
