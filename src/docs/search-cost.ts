/** What a search costs, roughly: whether others may have to wait for it. */
export type Cost = 'cheap' | 'expensive';

/** What a search reads from the tables beside the index, one pass over its collection for each entry. */
export interface Passes {
  readonly filterMeta?: object | undefined;
  /** The filter of a search whose parameters are in the query string. */
  readonly meta?: object | undefined;
  /** A list of conditions, or one for each key. */
  readonly rangeMeta?: object | undefined;
  readonly filter?: unknown;
  readonly langs?: readonly string[] | undefined;
  readonly sort?: string | undefined;
  readonly boost?: object | undefined;
  readonly facetBy?: readonly string[] | undefined;
  readonly geo?: object | undefined;
}

/** The order of hybrid search that looks at nothing else. */
const BY_SCORE = 'combined';

/** Rows from which a search is expensive: the tables deliver about a million of them in a second. */
const EXPENSIVE_ROWS = 20_000;

/**
 * The cost of a search of collections that have so many documents. Words are scored in microseconds, while filters, ranges,
 * boosts, facets and sorts read a row of each document that has the value: at most all of them, which is what is
 * assumed here, since counting them would cost as much.
 */
export function costOf({ filterMeta, meta, rangeMeta, filter, langs = [], sort = BY_SCORE, boost, facetBy, geo }: Passes, documents: number): Cost {
  const keys = sort === BY_SCORE ? 0 : sort.split(',').length;
  const entries = [filterMeta, meta, rangeMeta, boost, facetBy].reduce((sum, each) => sum + Object.keys(each ?? {}).length, keys + Number(geo !== undefined) + Number(filter !== undefined) + Number(langs.length > 0));
  return entries * documents >= EXPENSIVE_ROWS ? 'expensive' : 'cheap';
}
