import type { OrdSet } from '../../../lib/ord-set.ts';
import { Pace } from '../../../lib/pace.ts';
import type { WordsHit } from '../../../search/fusion/fuse.ts';
import type { Retriever } from '../../search/index.ts';
import type { Expansion } from '../expansion/expansion.ts';
import type { FullTextView } from '../view/fulltext-view.ts';
import type { TextIndex, TextQuery } from '../view/text-index.ts';
import { matchedTerms } from './matched-terms.ts';
import type { QueryPlan } from './query-plan.ts';
import type { SearchRequest } from './request.ts';
import { SearchFeedback } from './search-feedback.ts';
import type { SearchDeps } from './search-full-text.ts';

interface WordsDeps {
  readonly view: Pick<FullTextView, 'indexOf'>;
  readonly expansion: Pick<Expansion, 'expand'>;
}

/**
 * A request whose plan the index is ready for; for `pmisparse`, its terms are expanded by their neighbours, of which a
 * collection without documents has none. Throws `index_loading`.
 */
export async function readyWords({ view, expansion }: WordsDeps, request: SearchRequest,
  signal: AbortSignal): Promise<SearchRequest>
{
  const { collection, algorithm } = request;
  const isExpanded = algorithm === 'pmisparse' && view.indexOf(collection) !== undefined;
  const ready = isExpanded ? { ...request, plan: await expansion.expand(request, signal) } : request;
  await prepareIndex(view, collection, ready.plan);
  return ready;
}

/**
 * Words that were indexed before the first query in a language are grouped first, in slices. Throws `index_loading`.
 */
export async function prepareIndex(view: WordsDeps['view'], collection: string, plan: QueryPlan): Promise<void> {
  let pace: Pace | undefined;
  // Looked up each time, because another index may replace it meanwhile.
  while (!isReady(view.indexOf(collection), plan)) {
    pace ??= new Pace();
    await pace.rest();
  }
}

/** Prepares an index, if there is one, for a plan, one step at each call; true when it is ready. */
function isReady(index: Pick<TextIndex, 'prepare'> | undefined, { readings }: QueryPlan): boolean {
  return index === undefined || readings.every(({ analyzer }) => index.prepare(analyzer));
}

/**
 * A request as an index is asked for it, among some documents or all. `factors`: by which scores are multiplied, by
 * ordinal.
 */
export function textQuery({ plan, algorithm, fieldWeights, fields }: SearchRequest, eligible: OrdSet | undefined,
  factors?: Float32Array): Omit<TextQuery, 'limit'>
{
  return {
    readings: plan.readings,
    algorithm,
    fieldWeights,
    ...(fields && { fields }),
    ...(eligible && { filter: eligible }),
    ...(factors && { factors }),
  };
}

/**
 * Finds documents by their words, for all reads of one search; if it ranks as full-text search does, the feedback of
 * the best documents counts, too. `collect`: whether all matches are counted.
 */
export function wordsRetriever(deps: SearchDeps, request: SearchRequest,
  collect = false): Retriever<WordsHit, number, ReadonlySet<string>>
{
  const { collection, plan, fields, rerank } = request;
  const feedback = SearchFeedback.of(request);
  return {
    view: deps.view,
    async candidates({ eligible, factors }, limit) {
      const found = deps.view.indexOf(collection)?.search({
        ...textQuery(request, eligible, factors),
        rerank,
        limit: feedback?.limit(limit) ?? limit,
        collect,
      });
      const hits = found?.hits ?? [];
      return { hits: await feedback?.improve(deps, hits, factors) ?? hits, matches: found?.matches };
    },
    async features(ords) {
      const index = deps.view.indexOf(collection);
      return index === undefined ? [] : matchedTerms(index, plan, ords, fields);
    },
  };
}
