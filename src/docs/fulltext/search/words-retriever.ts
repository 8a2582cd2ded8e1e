import type { WordsHit } from '../../../search/fusion/fuse.ts';
import type { Retriever } from '../../search/index.ts';
import { textQuery } from './ask-words.ts';
import { matchedTerms } from './matched-terms.ts';
import type { SearchRequest } from './request.ts';
import { SearchFeedback } from './search-feedback.ts';
import type { SearchDeps } from './search-full-text.ts';

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
