import type { DocsEnvironment } from '../../environment.ts';
import type { FullText } from '../fulltext.ts';
import type { QueryPlan } from '../search/query-plan.ts';
import { expandPlan } from './expand-plan.ts';
import { NeighbourModels, type NeighbourModelsOptions } from './neighbour-models.ts';

/** A query that was read, of whatever kind of search. */
export interface ReadQuery {
  readonly collection: string;
  /** Code of its language. */
  readonly lang: string;
  readonly plan: QueryPlan;
}

/** The part of `pmisparse` that comes before scoring (decision D-84). */
export interface Expansion {
  /**
   * The plan with the neighbours of its terms. Throws `index_loading` while they are being learned for the first
   * time, and that takes long.
   */
  expand(query: ReadQuery, signal: AbortSignal): Promise<QueryPlan>;
  /** Resolves when what was learned includes what was written. */
  settled(): Promise<void>;
  /** Forgets what was learned; it can be used on. */
  stop(): Promise<void>;
}

export function createExpansion(
  environment: Pick<DocsEnvironment, 'sql' | 'feed' | 'codec' | 'clock' | 'log'>, { stopWordsOf }: Pick<FullText, 'stopWordsOf'>, options: NeighbourModelsOptions = {},
): Expansion {
  const models = new NeighbourModels(environment, options);
  return {
    async expand({ collection, lang, plan }, signal) {
      const rules = { lang, stemming: plan.analyzer.stemming, stopWords: stopWordsOf(collection, lang) };
      return expandPlan(plan, await models.of(collection, rules, signal), rules);
    },
    settled: () => models.settled(),
    stop: () => models.stop(),
  };
}
