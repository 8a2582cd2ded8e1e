import type { Operations } from '../../../generated/docs/operations.ts';
import type { SearchHybridResponse } from '../../../generated/docs/sdk/types.gen.ts';
import type { AnswerBounds, Handlers } from '../../operations/index.ts';
import type { FullTextSearch } from '../fulltext/index.ts';
import type { HybridInput } from './request.ts';
import { type HybridDeps, searchHybrid } from './search-hybrid.ts';

/** Combined lexical and vector search (contract section 4, "Full-text search": `POST /v1/hybrid-search`). */
export interface Hybrid {
  readonly handlers: Required<Pick<Handlers<Operations>, 'searchHybrid'>>;
  /**
   * As `POST /v1/hybrid-search`, for other areas, with the query as it is spelled. It takes its own place in the search
   * gate.
   */
  hybridSearch(input: HybridInput, bounds: AnswerBounds): Promise<SearchHybridResponse>;
}

export interface HybridAreas extends Pick<HybridDeps, 'chunker' | 'gate'> {
  readonly words: Pick<FullTextSearch, 'deps'>;
  readonly vectors: HybridDeps['meaning'];
}

export function createHybrid({ words, vectors, chunker, gate }: HybridAreas): Hybrid {
  const deps: HybridDeps = { words: words.deps, meaning: vectors, chunker, gate };
  return {
    handlers: { searchHybrid: (input, context) => searchHybrid(deps, input, context) },
    hybridSearch: (input, bounds) =>
      searchHybrid({ ...deps, words: { ...words.deps, spelling: undefined } }, input, bounds),
  };
}
