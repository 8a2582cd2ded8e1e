/** The estimated cost of a search: whether it may have to wait for cheaper ones. */
export type Cost = 'cheap' | 'expensive';

/** The parts of a search that the columns evaluate, with at most one pass over the collection for each entry. */
export interface Passes {
  readonly filterMeta?: object | undefined;
  /** The filter of a search whose parameters are in the query string. */
  readonly meta?: object | undefined;
  /** A list of conditions, or one condition for each key. */
  readonly rangeMeta?: object | undefined;
  readonly filter?: unknown;
  readonly langs?: readonly string[] | undefined;
  readonly sort?: string | undefined;
  readonly boost?: object | undefined;
  readonly facetBy?: readonly string[] | undefined;
  readonly geo?: object | undefined;
}

/** The sort order of hybrid search that needs no pass. */
const BY_SCORE = 'combined';

/** Number of documents in all passes together from which a search is expensive. */
const EXPENSIVE_DOCUMENTS = 20_000;

/**
 * The cost of a search in collections with `documents` documents in total. New filters, ranges, boosts, facets and
 * sorts read a value of all of them, and geo filters read their rows. The cost decides which searches run first and how
 * long they may wait before they are refused, so it is an upper estimate.
 */
export function costOf(
  { filterMeta, meta, rangeMeta, filter, langs = [], sort = BY_SCORE, boost, facetBy, geo }: Passes,
  documents: number,
): Cost {
  const keys = sort === BY_SCORE ? 0 : sort.split(',').length;
  const entries = [filterMeta, meta, rangeMeta, boost, facetBy].reduce(
    (sum, each) => sum + Object.keys(each ?? {}).length,
    keys + Number(geo !== undefined) + Number(filter !== undefined) + Number(langs.length > 0),
  );
  return entries * documents >= EXPENSIVE_DOCUMENTS ? 'expensive' : 'cheap';
}
