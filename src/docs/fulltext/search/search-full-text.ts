import type { Operations } from '../../../../generated/docs/operations.ts';
import type { FullTextResult, Fuzziness, SearchFullTextResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { roundScore } from '../../../lib/rounded.ts';
import type { AnswerBounds, InputOf } from '../../../operations/index.ts';
import { gathered } from '../../../search/parts/index.ts';
import type { ColumnsView } from '../../columns/index.ts';
import type { Curation } from '../../curation/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import type { GeoView } from '../../geo/index.ts';
import { ONE_SIDE, promptOf, searchRanked, type StoredVectors } from '../../search/index.ts';
import type { Expansion } from '../expansion/expansion.ts';
import type { FullTextView } from '../view/fulltext-view.ts';
import { highlighterOf } from './highlights.ts';
import { type RequestContext, resolveRequest, type SearchInput } from './request.ts';
import { correctSpelling, helpFor, type SpellingDeps } from './spelling.ts';
import { readyWords, wordsRetriever } from './words-retriever.ts';

export interface SearchDeps extends Pick<DocsEnvironment, 'sql' | 'codec' | 'clock'>, RequestContext, SpellingDeps {
  readonly view: Pick<FullTextView, 'indexOf' | 'intoMemory' | 'position' | 'isLatest' | 'caughtUp'>;
  /** Columns for filters, facets and orders; their version of a document may differ from the index's. */
  readonly columns: Pick<ColumnsView, 'indexOf' | 'position' | 'caughtUp' | 'isLatest'>;
  readonly geo: Pick<GeoView, 'indexOf' | 'position' | 'caughtUp'>;
  readonly curation: Pick<Curation, 'rulesOf'>;
  readonly expansion: Pick<Expansion, 'expand'>;
  /** For `mmr`; absent: there are none. */
  readonly vectors?: StoredVectors | undefined;
}

/** `POST /v1/fts` (contract section 4, "Full-text search"; decisions section 4.4). */
export async function searchFullText(deps: SearchDeps, given: SearchInput,
  bounds: AnswerBounds): Promise<SearchFullTextResponse>
{
  const { collections, curation, view } = deps;
  const { signal } = bounds;
  const resolve = (input: SearchInput) => resolveRequest(deps, input, { forPresent: true });
  const { input, request: asked, note } = await correctSpelling(deps, given, resolve, {
    wordsOf: (request) => request,
    lang: given.lang,
    signal,
  });
  const request = await readyWords(deps, asked, signal);
  const { collection, query, algorithm, plan: { mode }, facetBy, langs, stemmingActive, synonymsActive, totals } =
    request;
  const index = view.indexOf(collection);
  const found = await searchRanked<FullTextResult>(deps, {
    request: { ...request, ...ONE_SIDE, isCounted: facetBy !== undefined },
    cost: index && 'cheap',
    rules: curation.rulesOf(collection),
    sides: { words: wordsRetriever(deps, request, { collect: facetBy !== undefined, isWhole: true }) },
    highlightsOf: await gathered(() => highlighterOf(request, index)),
    show: ({ score, terms, pinned }, { document, highlights }) => {
      const result: FullTextResult = { document, score: roundScore(score), matchedTerms: [...terms] };
      if (highlights !== undefined) result.highlights = highlights;
      if (pinned) result.pinned = pinned;
      return result;
    },
  }, bounds);
  const { answer, matches = 0, isLowerBound, warnings } = found;
  const help = matches === 0 && index !== undefined ? await helpFor(deps, input, request, signal) : undefined;
  return {
    ...answer,
    ...(totals !== 'none' && { totalMatches: matches }),
    ...(totals !== 'none' && isLowerBound && { totalIsLowerBound: true }),
    algorithm,
    mode,
    lang: langs[0]!,
    langs: [...langs],
    stemmingActive,
    synonymsActive,
    ...help,
    ...note,
    ...(warnings.length > 0 && { warnings: [...warnings] }),
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
