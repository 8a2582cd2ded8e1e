import type { WordsHit } from '../../search/fusion/index.ts';
import { type OrdSet, SearchFeedback, textQuery, type WordsDeps, type WordsRequest } from '../fulltext/index.ts';

/** What the lexical side finds at one time. */
export interface FoundByWords {
  readonly words: readonly WordsHit[];
  /** All matches, if facets are counted. */
  readonly matches: OrdSet | undefined;
}

/**
 * The lexical side, for all reads of one search; if it ranks as full-text search does, the feedback of the best
 * documents counts, too.
 */
export class WordsSide {
  readonly #deps: WordsDeps;
  readonly #request: WordsRequest;
  readonly #feedback: SearchFeedback | undefined;

  constructor(deps: WordsDeps, request: WordsRequest) {
    this.#deps = deps;
    this.#request = request;
    this.#feedback = SearchFeedback.of(request);
  }

  async look(eligible: OrdSet | undefined, factors: Float32Array | undefined): Promise<FoundByWords> {
    const { collection, rerank, facetBy, limit } = this.#request;
    const found = this.#deps.view.indexOf(collection)?.search({
      ...textQuery(this.#request, eligible, factors),
      rerank,
      limit: this.#feedback?.limit(limit) ?? limit,
      collect: facetBy !== undefined,
    });
    const hits = found?.hits ?? [];
    return { words: await this.#feedback?.improve(this.#deps, hits, factors) ?? hits, matches: found?.matches };
  }
}
