import type { Operations } from '../../../generated/docs/operations.ts';
import type { SearchHybridResponse } from '../../../generated/docs/sdk/types.gen.ts';
import type { AnswerBounds, Handlers } from '../../operations/index.ts';
import type { FullTextSearch, WordsRequest } from '../fulltext/index.ts';
import type { HybridDeps } from './deps.ts';
import { type HybridInput, resolveRequest } from './request.ts';
import { searchHybrid } from './search-hybrid.ts';

/** Combined lexical and vector search (contract section 4, "Full-text search": `POST /v1/hybrid-search`). */
export interface Hybrid {
  readonly handlers: Required<Pick<Handlers<Operations>, 'searchHybrid'>>;
  /** As `POST /v1/hybrid-search`, for other areas. It takes its own place in the search gate. */
  hybridSearch(input: HybridInput, bounds: AnswerBounds): Promise<SearchHybridResponse>;
  /** The equivalent full-text request for the words of a request. Throws as `hybridSearch`. */
  wordsOf(input: HybridInput): WordsRequest;
}

export interface HybridAreas extends Pick<HybridDeps, 'chunker' | 'gate'> {
  readonly words: Pick<FullTextSearch, 'deps'>;
  readonly vectors: HybridDeps['meaning'];
}

export function createHybrid({ words, vectors, chunker, gate }: HybridAreas): Hybrid {
  const deps: HybridDeps = { words: words.deps, meaning: vectors, chunker, gate };
  return {
    handlers: { searchHybrid: (input, context) => searchHybrid(deps, input, context) },
    hybridSearch: (input, bounds) => searchHybrid(deps, input, bounds),
    wordsOf: (input) => resolveRequest(deps.words, input).words,
  };
}
