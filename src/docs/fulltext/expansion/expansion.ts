import type { DocsEnvironment } from '../../environment.ts';
import type { FullText } from '../fulltext.ts';
import { isStemming, type QueryPlan } from '../search/query-plan.ts';
import { CODE_CLASSES } from '../view/document-classes.ts';
import { expandReading, isExpanded } from './expand-plan.ts';
import { NeighbourModels, type NeighbourModelsOptions } from './neighbour-models.ts';

/** A query that was read, by any kind of search. */
export interface ReadQuery {
  readonly collection: string;
  readonly plan: QueryPlan;
}

/** The part of `pmisparse` that runs before scoring. */
export interface Expansion {
  /**
   * The plan with the neighbours of its terms. If the query is read in several languages, the neighbours are learned
   * from the documents of each. Throws `index_loading` while they are learned for the first time, if that takes long.
   */
  expand(query: ReadQuery, signal: AbortSignal): Promise<QueryPlan>;
  /** Resolves when the models include all earlier writes. */
  settled(): Promise<void>;
  /** Discards all models; the object remains usable. */
  stop(): Promise<void>;
}

export function createExpansion(environment: Pick<DocsEnvironment, 'sql' | 'feed' | 'codec' | 'clock' | 'log'>,
  { stopWordsOf }: Pick<FullText, 'stopWordsOf'>, options: NeighbourModelsOptions = {}): Expansion
{
  const models = new NeighbourModels(environment, options);
  return {
    async expand({ collection, plan }, signal) {
      if (!isExpanded(plan)) return plan;
      const stemming = isStemming(plan);
      const isMixed = plan.readings.filter(({ classes }) => classes !== CODE_CLASSES).length > 1;
      const readings = await Promise.all(plan.readings.map(async (reading) => {
        const rules = {
          lang: reading.lang,
          stemming,
          stopWords: stopWordsOf(collection, reading.lang),
          ...(isMixed && { classes: reading.classes }),
        };
        return expandReading(reading, await models.of(collection, rules, signal), rules);
      }));
      return { ...plan, readings };
    },
    settled: () => models.settled(),
    stop: () => models.stop(),
  };
}
