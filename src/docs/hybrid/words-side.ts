import type { WordsHit } from '../../search/fusion/index.ts';
import { SearchFeedback, type OrdSet, type WordsDeps, type WordsRequest } from '../fulltext/index.ts';

/** What the words find at one time. */
export interface FoundByWords {
  readonly words: readonly WordsHit[];
  /** All that they match, where facets are to be counted. */
  readonly matches: OrdSet | undefined;
}

/** The side of the words, for all looks of one search: where it ranks as full-text search does, what the best documents tell counts, too. */
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
    const { collection, plan, algorithm, fieldWeights, fields, rerank, facetBy, limit } = this.#request;
    const found = this.#deps.view.indexOf(collection)?.search({
      readings: plan.readings, algorithm, fieldWeights, rerank, limit: this.#feedback?.limit(limit) ?? limit, ...(fields && { fields }),
      collect: facetBy !== undefined,
      ...(eligible && { filter: eligible }), ...(factors && { factors }),
    });
    const hits = found?.hits ?? [];
    return { words: await this.#feedback?.improve(this.#deps, hits, factors) ?? hits, matches: found?.matches };
  }
}
