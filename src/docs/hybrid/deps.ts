import type { Embeddings } from '../embeddings/index.ts';
import type { WordsDeps } from '../fulltext/index.ts';
import type { SearchGate } from '../search-gate.ts';
import type { QueryVector, VectorSearch } from '../vectors/index.ts';

/** The position of a view, and a way to wait for it. */
export interface Progress {
  /** Number of the last change that it has applied; undefined while it does not follow. */
  readonly position: number | undefined;
  caughtUp(signal?: AbortSignal): Promise<void>;
}

/**
 * The vector side. The vector of a query is computed separately, because a search that waits for a provider must not
 * delay others.
 */
export interface MeaningSide
  extends Pick<VectorSearch, 'isConfigured' | 'encoder' | 'embedQuery' | 'searchByVector' | 'passagesOf' | 'modelsOf'>
{
  readonly view: Progress;
}

export interface HybridDeps {
  readonly words: WordsDeps;
  readonly meaning: MeaningSide;
  readonly chunker: Pick<Embeddings, 'chunksOf'>;
  /** Only scoring occupies a place. */
  readonly gate: Pick<SearchGate, 'run'>;
}

export type { QueryVector };
