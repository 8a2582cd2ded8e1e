import type { Operations } from '../../../../generated/docs/operations.ts';
import type { Fuzziness, SearchFullTextResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { Pace } from '../../../lib/pace.ts';
import { type AnswerBounds, type InputOf, type Truncation, truncationOf } from '../../../operations/index.ts';
import { writeCursor } from '../../../search/order/index.ts';
import type { ColumnsView } from '../../columns/index.ts';
import type { Curation } from '../../curation/index.ts';
import { contentsFor, countWithinBudget } from '../../documents/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import type { GeoView } from '../../geo/index.ts';
import type { Expansion } from '../expansion/expansion.ts';
import type { FullTextView } from '../view/fulltext-view.ts';
import { type Counted, countFacets } from './count-facets.ts';
import { fillPrompt } from './fill-prompt.ts';
import { findDocuments, type Found, type SearchOutcome } from './find-documents.ts';
import { fitFacets } from './fit-facets.ts';
import { needsBodies, needsMeta, presentResults } from './present-results.ts';
import { prepareFor } from './query-plan.ts';
import { type RequestContext, resolveRequest, type SearchInput, type SearchRequest } from './request.ts';
import { helpFor, type SearchHelp } from './search-help.ts';

export interface SearchDeps extends Pick<DocsEnvironment, 'sql' | 'codec' | 'clock'>, RequestContext {
  readonly view: Pick<FullTextView, 'indexOf' | 'position' | 'isLatest' | 'caughtUp'>;
  /** Columns for filters, facets and orders; their version of a document may differ from the index's. */
  readonly columns: Pick<ColumnsView, 'indexOf' | 'position' | 'caughtUp'>;
  readonly geo: Pick<GeoView, 'indexOf' | 'position' | 'caughtUp'>;
  readonly curation: Pick<Curation, 'rulesOf'>;
  readonly expansion: Pick<Expansion, 'expand'>;
}

/** `POST /v1/fts` (contract section 4, "Full-text search"; decisions section 4.4). */
export async function searchFullText(deps: SearchDeps, input: SearchInput,
  bounds: AnswerBounds): Promise<SearchFullTextResponse>
{
  const { signal, budget: room } = bounds;
  const request = await withNeighbours(deps, resolveRequest(deps, input, { forPresent: true }), signal);
  const { collection: name, budget, offset, plan } = request;
  const index = deps.view.indexOf(name);
  if (index === undefined)
    return toResponse(deps, request, {
      total: 0,
      isLowerBound: false,
      results: [],
      facets: {},
      facetsTruncated: false,
      contextTruncated: false,
      truncation: {},
    });
  const pace = new Pace();
  // Words that were indexed before the first query in this language are grouped first, in slices.
  while (!prepareFor(index, plan)) await pace.rest();
  const { outcome, counted } = await findAndCount(deps, request, bounds);
  const help = outcome.total === 0 ? await helpFor(deps, input, request, signal) : undefined;
  const { facets, isTruncated: facetsTruncated } = fitFacets(counted?.facets ?? {}, room);
  const presented = await presentResults(deps, request, outcome.results, bounds);
  const fitting = countWithinBudget(presented.map(({ bytes }) => bytes), budget);
  const contextTruncated = fitting < presented.length;
  return toResponse(deps, request, {
    total: counted?.documents ?? outcome.total,
    isLowerBound: outcome.isLowerBound,
    results: presented.slice(0, fitting).map(({ result }) => result),
    facets,
    facetsTruncated,
    contextTruncated,
    help,
    truncation: request.cursor === undefined ? truncationOf(room.isSpent && !contextTruncated, offset + fitting) : {},
    nextCursor: nextCursor(request, outcome.results, presented[fitting - 1]?.result.document.id),
  });
}

interface FoundAndCounted {
  readonly outcome: SearchOutcome;
  readonly counted: Counted | undefined;
}

/**
 * The documents found, and their facets. Facets come from the columns; only a result that is deleted before they are
 * counted is counted by its metadata. So those are read for facets only after that has happened, in a second search:
 * reading rows takes longer than counting.
 */
async function findAndCount(deps: SearchDeps, request: SearchRequest,
  { signal, budget }: AnswerBounds): Promise<FoundAndCounted>
{
  const { collection, projection, facetBy: fields, facetMaxValues: max } = request;
  for (let isAgain = false;; isAgain = true) {
    const isMetaUnread = !isAgain && !needsMeta(request);
    const content = { ...contentsFor(budget, needsBodies(request), projection.body), withMeta: !isMetaUnread };
    const outcome = await findDocuments(deps, request, deps.curation.rulesOf(collection), { content, signal });
    if (fields === undefined || outcome.all === undefined) return { outcome, counted: undefined };
    const counted = await countFacets(deps.columns, collection, outcome.all, { fields, max, isMetaUnread },
      outcome.results.map(({ row }) => row));
    deps.view.indexOf(collection)?.reuse(outcome.all);
    if (counted !== undefined) return { outcome, counted };
  }
}

/** For `pmisparse`, expands terms by their neighbours; a collection without documents has none. */
export async function withNeighbours({ view, expansion }: Pick<SearchDeps, 'view' | 'expansion'>,
  request: SearchRequest, signal: AbortSignal): Promise<SearchRequest>
{
  if (request.algorithm !== 'pmisparse' || view.indexOf(request.collection) === undefined) return request;
  return { ...request, plan: await expansion.expand(request, signal) };
}

interface Answer {
  /** Number of documents that match, whatever the limit. */
  readonly total: number;
  /** Whether there may be more. */
  readonly isLowerBound: boolean;
  readonly results: SearchFullTextResponse['results'];
  /** By field; a field that no document has has no values. */
  readonly facets: NonNullable<SearchFullTextResponse['facets']>;
  readonly facetsTruncated: boolean;
  readonly contextTruncated: boolean;
  readonly truncation: Truncation;
  readonly nextCursor?: string | undefined;
  /** For a query that finds nothing. */
  readonly help?: SearchHelp | undefined;
}

/** Cursor of the next page; undefined for pages by offset, and when the page is empty. */
function nextCursor({ cursor }: SearchRequest, results: readonly Found[], last: string | undefined): string
  | undefined
{
  const place = results.find(({ row }) => row.id === last)?.place;
  return cursor === undefined || place === undefined ? undefined : writeCursor(cursor.order, place);
}

function toResponse({ collections }: SearchDeps, request: SearchRequest,
  { total, isLowerBound, results, facets, facetsTruncated, contextTruncated, truncation, nextCursor: next, help }:
    Answer): SearchFullTextResponse
{
  const { collection, query, algorithm, plan: { mode }, langs, stemmingActive, synonymsActive, facetBy, totals } =
    request;
  const prompt = collections.configOf(collection)?.responsePrompt;
  return {
    results,
    total: results.length,
    ...(totals !== 'none' && { totalMatches: total }),
    ...(totals !== 'none' && isLowerBound && { totalIsLowerBound: true }),
    algorithm,
    mode,
    lang: langs[0]!,
    langs: [...langs],
    stemmingActive,
    synonymsActive,
    ...(facetBy && {
      facets: Object.fromEntries(facetBy.map((field) => [field, Object.hasOwn(facets, field) ? facets[field]! : []])),
    }),
    ...(help && help.suggestions.length > 0 && { suggestions: [...help.suggestions] }),
    ...(help && help.droppedWords.length > 0 && { droppedWords: [...help.droppedWords] }),
    ...(facetsTruncated && { facetsTruncated }),
    ...(contextTruncated && { contextTruncated }),
    ...truncation,
    ...(next !== undefined && { nextCursor: next }),
    ...(prompt && { responsePrompt: fillPrompt(prompt, { collection, query }) }),
  };
}

type ByQueryInput = InputOf<Operations, 'searchFullTextByQuery'>;

/** `GET /v1/fts` (decision D-75): the same with scalar parameters. Throws `missing_fields` without `query` and `q`. */
export function searchFullTextByQuery(deps: SearchDeps, input: ByQueryInput,
  bounds: AnswerBounds): Promise<SearchFullTextResponse>
{
  return searchFullText(deps, inputOfQuery(input), bounds);
}

/** Converts to the request of `POST /v1/fts`. Throws `missing_fields` without `query` and `q`. */
export function inputOfQuery({ query, q, meta = {}, fuzzy, ...scalars }: ByQueryInput): SearchInput {
  const text = query ?? q;
  if (text === undefined) throw new ServiceError('missing_fields', 'missing fields: query');
  const filterMeta = Object.fromEntries(
    Object.entries(meta).map(([key, values]) => [key, typeof values === 'string' ? [values] : values]),
  );
  return { ...scalars, fuzzy: fuzzy as Fuzziness, query: text, filterMeta, facetMaxValues: 0 };
}
