import type { TextHit, WordsQuery } from '../../fulltext/index.ts';
import type { Cost } from '../../search-cost.ts';
import type { VectorSearch } from '../../vectors/index.ts';

/** The lexical side. */
export interface WordsSide {
  rankByWords(query: WordsQuery): Promise<readonly TextHit[]>;
}

/**
 * The vector side. The vector of a query is computed separately, because a search that waits for a provider must not
 * delay others.
 */
export type MeaningSide = Pick<VectorSearch, 'isConfigured' | 'encoder' | 'embedQuery' | 'searchByVector'>;

export type QueryVector = Awaited<ReturnType<MeaningSide['embedQuery']>>;

/** Like the search gate: occupies a place while something is scored. */
export interface Gate {
  run<T>(search: () => Promise<T>, signal: AbortSignal, cost?: Cost): Promise<T>;
}
