import type { Operations } from '../../../../generated/docs/operations.ts';
import type { FullTextResult, Fuzziness, SearchFullTextResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import type { AnswerBounds, InputOf } from '../../../operations/index.ts';
import type { ColumnsView } from '../../columns/index.ts';
import type { Curation } from '../../curation/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import type { GeoView } from '../../geo/index.ts';
import { contentsFor, type Counted, countFacets, endPage, type PageEnd, promptOf, type ShownFacets,
  shownFacets } from '../../search/index.ts';
import type { Expansion } from '../expansion/expansion.ts';
import type { FullTextView } from '../view/fulltext-view.ts';
import { readyWords } from './ask-words.ts';
import { findDocuments, type SearchOutcome } from './find-documents.ts';
import { needsBodies, needsMeta, presentResults } from './present-results.ts';
import { type RequestContext, resolveRequest, type SearchInput, type SearchRequest } from './request.ts';
import { correctedQuery, helpFor, type SearchHelp, type SpellingDeps } from './spelling.ts';

export interface SearchDeps extends Pick<DocsEnvironment, 'sql' | 'codec' | 'clock'>, RequestContext, SpellingDeps {
  readonly view: Pick<FullTextView, 'indexOf' | 'position' | 'isLatest' | 'caughtUp'>;
  /** Columns for filters, facets and orders; their version of a document may differ from the index's. */
  readonly columns: Pick<ColumnsView, 'indexOf' | 'position' | 'caughtUp' | 'isLatest'>;
  readonly geo: Pick<GeoView, 'indexOf' | 'position' | 'caughtUp'>;
  readonly curation: Pick<Curation, 'rulesOf'>;
  readonly expansion: Pick<Expansion, 'expand'>;
}

/** `POST /v1/fts` (contract section 4, "Full-text search"; decisions section 4.4). */
export async function searchFullText(deps: SearchDeps, given: SearchInput,
  bounds: AnswerBounds): Promise<SearchFullTextResponse>
{
  const { signal, budget: room } = bounds;
  const asked = resolveRequest(deps, given, { forPresent: true });
  const corrected = await correctedQuery(deps, asked, given.lang, signal);
  const input = corrected === undefined ? given : { ...given, query: corrected };
  const request = await readyWords(deps,
    corrected === undefined ? asked : resolveRequest(deps, input, { forPresent: true }), signal);
  const { collection: name, budget, offset } = request;
  if (deps.view.indexOf(name) === undefined)
    return toResponse(deps, request, {
      total: 0,
      isLowerBound: false,
      results: [],
      end: {},
      facets: shownFacets(request.facetBy, undefined, room),
    });
  const { outcome, counted } = await findAndCount(deps, request, bounds);
  const help = outcome.total === 0 ? await helpFor(deps, input, request, signal) : undefined;
  const facets = shownFacets(request.facetBy, counted?.facets, room);
  const presented = await presentResults(deps, request, outcome.results, bounds);
  const page = endPage(presented, { offset, tokens: budget, order: request }, room, (at) => outcome.results[at]?.place);
  return toResponse(deps, request, {
    total: counted?.documents ?? outcome.total,
    isLowerBound: outcome.isLowerBound,
    ...page,
    facets,
    help,
    spellCorrected: corrected === undefined ? undefined : { original: given.query, corrected },
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

interface Answer extends PageEnd<FullTextResult> {
  /** Number of documents that match, whatever the limit. */
  readonly total: number;
  /** Whether there may be more. */
  readonly isLowerBound: boolean;
  readonly facets: ShownFacets;
  /** For a query that finds nothing. */
  readonly help?: SearchHelp | undefined;
  readonly spellCorrected?: SearchFullTextResponse['spellCorrected'] | undefined;
}

function toResponse({ collections }: SearchDeps, request: SearchRequest,
  { total, isLowerBound, results, end, facets, help, spellCorrected }: Answer): SearchFullTextResponse
{
  const { collection, query, algorithm, plan: { mode }, langs, stemmingActive, synonymsActive, totals } = request;
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
    ...(help && help.suggestions.length > 0 && { suggestions: [...help.suggestions] }),
    ...(help && help.droppedWords.length > 0 && { droppedWords: [...help.droppedWords] }),
    ...(spellCorrected && { spellCorrected }),
    ...facets,
    ...end,
    ...promptOf(collections.configOf(collection)?.responsePrompt, { collection, query }),
  };
}

type ByQueryInput = InputOf<Operations, 'searchFullTextByQuery'>;

/** `GET /v1/fts`: the same with scalar parameters. Throws `missing_fields` without `query` and `q`. */
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
