import type { Embeddings } from '../embeddings/index.ts';
import type { WordsDeps } from '../fulltext/index.ts';
import type { SearchGate } from '../search-gate.ts';
import type { FollowingView } from '../search/index.ts';
import type { QueryVector, VectorSearch } from '../vectors/index.ts';

/**
 * The vector side. The vector of a query is computed separately, because a search that waits for a provider must not
 * delay others.
 */
export interface MeaningSide
  extends Pick<VectorSearch, 'isConfigured' | 'encoder' | 'embedQuery' | 'searchByVector' | 'passagesOf' | 'modelsOf'>
{
  readonly view: FollowingView;
}

export interface HybridDeps {
  readonly words: WordsDeps;
  readonly meaning: MeaningSide;
  readonly chunker: Pick<Embeddings, 'chunksOf'>;
  /** Only scoring occupies a place. */
  readonly gate: Pick<SearchGate, 'run'>;
}

export type { QueryVector };
