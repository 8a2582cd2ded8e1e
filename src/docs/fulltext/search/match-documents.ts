import { OrdSet } from '../../../lib/ord-set.ts';
import type { Columns, Scores, SortedDocument } from '../../../search/columns/index.ts';
import type { Mark, SortKey } from '../../../search/order/index.ts';
import type { ColumnsView } from '../../columns/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import type { GeoView } from '../../geo/index.ts';
import { boostFactors, type ContentOptions, eligibleDocuments, type FollowingView, type Look, readConsistently,
  readRows, type ResultRow } from '../../search/index.ts';
import type { FullTextView } from '../view/fulltext-view.ts';
import type { TextIndex, TextQuery } from '../view/text-index.ts';
import { textQuery } from './ask-words.ts';
import { matchedTerms } from './matched-terms.ts';
import type { SearchRequest } from './request.ts';
import { SearchFeedback } from './search-feedback.ts';

export interface MatchDeps extends Pick<DocsEnvironment, 'sql' | 'codec' | 'clock'> {
  readonly view: Pick<FullTextView, 'indexOf' | 'position' | 'isLatest' | 'caughtUp'>;
  readonly columns: Pick<ColumnsView, 'indexOf' | 'position' | 'caughtUp' | 'isLatest'>;
  readonly geo: Pick<GeoView, 'indexOf' | 'position' | 'caughtUp'>;
}

/** The parameters of a search besides its request. */
export interface MatchScope {
  /** Ordinals that must not be found. */
  readonly hidden: readonly number[];
  /** Ordinals that are returned even if they do not match. */
  readonly pinned: readonly number[];
  /** Which columns of the rows are read. */
  readonly content: ContentOptions;
  readonly signal: AbortSignal;
}

/** A document as index and tables have it. */
export interface Match {
  readonly row: ResultRow;
  /** Undefined for a pinned document that does not match. */
  readonly score: number | undefined;
  readonly terms: ReadonlySet<string>;
  /** Its position in the order of the request, if the request has one. */
  readonly place: MatchPlace | undefined;
}

/** The values that a match is sorted by, and the one that orders matches with equal values. */
export type MatchPlace = Omit<SortedDocument, 'ord'>;

export interface Matches {
  /** Number of documents that match; if it is a lower bound, there may be more. */
  readonly total: number;
  readonly isLowerBound: boolean;
  /**
   * Number of documents at the start of the requested order that `found` omits, because nothing moves them to the page.
   */
  readonly skipped: number;
  /** The best and the pinned ones, by ordinal. */
  readonly found: ReadonlyMap<number, Match>;
  /** All that match, if facets are counted. */
  readonly all: OrdSet | undefined;
}

type Seen = Omit<Match, 'row'> & { readonly ord: number; readonly row: ResultRow | undefined };

/** The result of reading filter, index and rows once. */
interface Seeing {
  readonly total: number;
  readonly isLowerBound: boolean;
  /** A row is undefined for a document that was deleted in the meantime. */
  readonly seen: readonly Seen[];
  readonly all: OrdSet | undefined;
  /** Documents that changed in the meantime: their values may come from different versions. */
  readonly torn: ReadonlySet<number>;
}

const NONE: ReadonlySet<number> = new Set();

/** The documents that match, each in one consistent state. */
export async function matchDocuments(deps: MatchDeps, request: SearchRequest, scope: MatchScope): Promise<Matches> {
  const found = new Map<number, Match>();
  // Pinned documents may come first, and move others to a later page.
  const skipped = request.sort !== undefined && scope.pinned.length === 0 ? request.offset : 0;
  let all: OrdSet | undefined;
  let total = 0;
  let isLowerBound = false;
  const feedback = SearchFeedback.of(request);
  const sources = {
    sql: deps.sql,
    views: viewsOf(deps, request),
    isLatest: (lsn: number) => deps.view.isLatest(lsn),
    signal: scope.signal,
  };
  await readConsistently(sources, async (look) => {
    const { seen, torn, ...seenNow } = await lookAt(deps, request, { ...scope, skipped }, feedback, look);
    total += seenNow.total;
    isLowerBound ||= seenNow.isLowerBound;
    if (all === undefined) all = seenNow.all;
    else for (const ord of seenNow.all ?? []) all.add(ord);
    for (const one of seen) {
      if (hasRow(one) && !torn.has(one.ord)) {
        found.set(one.ord, one);
        continue;
      }
      if (one.score !== undefined) total -= 1;
      all?.delete(one.ord);
    }
    return torn;
  });
  return { total, isLowerBound, skipped, found, all };
}

function hasRow(seen: Seen): seen is Seen & Match {
  return seen.row !== undefined;
}

/** Reads the documents of a look. */
async function lookAt(deps: MatchDeps, request: SearchRequest, scope: MatchScope & Pick<Matches, 'skipped'>,
  feedback: SearchFeedback | undefined, look: Look): Promise<Seeing>
{
  const { only } = look;
  const { plan, fields, rerank, totals, facetBy, sort, collection } = request;
  const { documents: eligible, columns } = await eligibleDocuments(deps, collection, {
    filter: request.filter,
    circle: request.circle,
    hidden: scope.hidden,
    needs: { keys: sort, facets: facetBy },
  });
  // If there is an order, nothing is awaited from here to the sorted matches, so that neither columns nor index change
  // in between.
  const index = deps.view.indexOf(collection);
  if (index === undefined || columns === undefined)
    return { total: 0, isLowerBound: false, seen: [], all: undefined, torn: NONE };
  const factors = boostFactors(columns, request.boost);
  const pinned = scope.pinned.filter((ord) => only?.has(ord) !== false);
  const filter = only === undefined ? eligible : within(only, eligible);
  // A pinned document leaves a gap among the best.
  const limit = Math.max(request.offset + request.limit + pinned.length, only?.size ?? 0);
  const query = textQuery(request, filter, factors);
  const { total, isLowerBound, hits: best, matches, looked } = index.search({
    ...query,
    collect: facetBy !== undefined || sort !== undefined,
    look: pinned,
    totals,
    ...(sort === undefined ? { limit: feedback?.limit(limit) ?? limit, rerank } : { limit: 0 }),
  });
  const hits = feedback === undefined ? best : (await feedback.improve(deps, best, factors)).slice(0, limit);
  const passedOver = only === undefined ? scope.skipped : 0;
  const sorted = sort && sortMatches(index, query, columns, matches!, sort, {
    offset: passedOver,
    count: limit - passedOver,
    after: request.cursor?.after,
  });
  const scores = sorted === undefined
    ? new Map<number, number | undefined>(hits.map(({ ord, score }) => [ord, score]))
    : new Map(scoresOf(index, query, sorted.map(({ ord }) => ord)));
  for (const [i, ord] of pinned.entries())
    if (!scores.has(ord)) scores.set(ord, filter?.has(ord) === false ? undefined : weighed(looked[i], factors?.[ord]));
  const ords = [...scores.keys()];
  const terms = await matchedTerms(index, plan, ords, fields);
  const contentsOf = only === undefined
    ? [...pinned, ...ords.slice(Math.max(0, request.offset - scope.skipped - pinned.length))]
    : ords;
  const rows = await readRows(deps.sql, ords, { ...scope.content, contentsOf });
  const torn = await look.changed(ords);
  const places = sorted && new Map(sorted.map(({ ord, ...place }) => [ord, place]));
  const seen = ords.map((ord, i): Seen => ({
    ord,
    row: rows.get(ord),
    score: scores.get(ord),
    terms: terms[i]!,
    place: places?.get(ord),
  }));
  return { total, isLowerBound, seen, all: facetBy && matches, torn };
}

/** The views that a search uses. */
function viewsOf({ view, columns, geo }: MatchDeps, { circle }: Pick<SearchRequest, 'circle'>): FollowingView[] {
  return circle === undefined ? [view, columns] : [view, columns, geo];
}

/** Scores of some documents, as a search by score computes them; undefined for a document that no longer matches. */
function scoresOf(index: TextIndex, query: Omit<TextQuery, 'limit'>,
  ords: readonly number[]): [number, number | undefined][]
{
  const { looked } = index.search({ ...query, limit: 0, look: ords });
  return ords.map((ord, i) => [ord, weighed(looked[i], query.factors?.[ord])]);
}

/** In single precision, like the index. */
function weighed(score: number | undefined, factor = 1): number | undefined {
  return score === undefined ? undefined : Math.fround(score * factor);
}

function within(ords: ReadonlySet<number>, eligible: OrdSet | undefined): OrdSet {
  const set = OrdSet.of(ords);
  if (eligible !== undefined) set.intersect(eligible);
  return set;
}

interface SortPage {
  /** Number of documents to skip. */
  readonly offset: number;
  readonly count: number;
  /** Position at which the previous page ended. */
  readonly after: Mark | undefined;
}

/** The parts of a query that its matches were found with. */
type Searched = Pick<TextQuery, 'readings' | 'algorithm' | 'fieldWeights' | 'factors'>;

/** A page of the matches in another order than by score, of those after the end of the previous page. */
function sortMatches(index: Pick<TextIndex, 'scoresOf'>, query: Searched, columns: Pick<Columns, 'sort'>,
  matches: OrdSet, keys: readonly SortKey[], page: SortPage): readonly SortedDocument[]
{
  const isByScore = keys.some(({ column }) => column.kind === 'score');
  return columns.sort(matches, { keys, ...page, ...(isByScore && { scores: allScores(index, query, matches) }) });
}

/** In arrays of numbers, because a search must not allocate an object for each match. */
function allScores(index: Pick<TextIndex, 'scoresOf'>, { factors, ...query }: Searched, matches: OrdSet): Scores {
  const ords = matches.ordinals();
  const scores = index.scoresOf(query, ords);
  if (factors !== undefined) { for (let i = 0; i < ords.length; i++) scores[i]! *= factors[ords[i]!] ?? 1; }
  return { ords, scores };
}
