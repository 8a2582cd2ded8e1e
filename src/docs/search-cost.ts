/** What a search costs, roughly: whether others may have to wait for it. */
export type Cost = 'cheap' | 'expensive';

/** What a search asks of the columns beside the index, a pass over its collection for each entry at most. */
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

/** Documents that such passes look at together, from which on a search lets others go first. */
const EXPENSIVE_DOCUMENTS = 20_000;

/**
 * The cost of a search of collections that have so many documents. Filters that were not asked before, ranges,
 * boosts, facets and sorts look at all of them, and places read their rows. It decides who goes first and who waits for
 * longer before it is refused, so it errs upwards.
 */
export function costOf({ filterMeta, meta, rangeMeta, filter, langs = [], sort = BY_SCORE, boost, facetBy, geo }: Passes, documents: number): Cost {
  const keys = sort === BY_SCORE ? 0 : sort.split(',').length;
  const entries = [filterMeta, meta, rangeMeta, boost, facetBy].reduce((sum, each) => sum + Object.keys(each ?? {}).length, keys + Number(geo !== undefined) + Number(filter !== undefined) + Number(langs.length > 0));
  return entries * documents >= EXPENSIVE_DOCUMENTS ? 'expensive' : 'cheap';
}
