import type { TextHit, WordsQuery } from '../../fulltext/index.ts';
import type { Cost } from '../../search-cost.ts';
import type { VectorSearch } from '../../vectors/index.ts';

/** Finding by words. */
export interface WordsSide {
  rankByWords(query: WordsQuery): Promise<readonly TextHit[]>;
}

/** Finding by meaning. The vector of a query comes by itself, because whoever waits for a provider must not keep others from searching. */
export type MeaningSide = Pick<VectorSearch, 'isConfigured' | 'encoder' | 'embedQuery' | 'searchByVector'>;

export type QueryVector = Awaited<ReturnType<MeaningSide['embedQuery']>>;

/** As the gate of searches: holds a place while something is scored. */
export interface Gate {
  run<T>(search: () => Promise<T>, signal: AbortSignal, cost?: Cost): Promise<T>;
}
