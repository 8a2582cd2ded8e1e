import type { WordsDeps } from '../fulltext/index.ts';
import type { Embeddings } from '../embeddings/index.ts';
import type { SearchGate } from '../search-gate.ts';
import type { QueryVector, VectorSearch } from '../vectors/index.ts';

/** How far a view is, and a way to wait for it. */
export interface Progress {
  /** Number of the last change that it has applied; undefined while it does not follow. */
  readonly position: number | undefined;
  caughtUp(signal?: AbortSignal): Promise<void>;
}

/** Finding by meaning. The vector of a query comes by itself, because whoever waits for a provider must not keep others from searching. */
export interface MeaningSide extends Pick<VectorSearch, 'isConfigured' | 'encoder' | 'embedQuery' | 'searchByVector' | 'passagesOf' | 'modelsOf'> {
  readonly view: Progress;
}

export interface HybridDeps {
  readonly words: WordsDeps;
  readonly meaning: MeaningSide;
  readonly chunker: Pick<Embeddings, 'chunksOf'>;
  /** Only scoring holds a place. */
  readonly gate: Pick<SearchGate, 'run'>;
}

export type { QueryVector };
