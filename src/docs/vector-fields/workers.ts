import { availableParallelism } from 'node:os';
import { allFactories, type VectorIndexOptions, WorkerPool } from '../../search/vector/index.ts';
import type { DocsEnvironment, DocsSettings } from '../environment.ts';

/** The settings of vector search with all defaults applied. */
export type VectorSettings = Required<NonNullable<DocsSettings['vectors']>>;

const MAX_WORKERS = 16;

const DEFAULTS: VectorSettings = {
  defaultAlgorithm: 'auto',
  bqRerankFactor: 10,
  parallelMinSize: 2048,
  parallelWorkers: Math.min(MAX_WORKERS, availableParallelism()),
};

/** What the indexes of embeddings and of supplied vectors have in common: their workers, above all. */
export interface VectorWorkers {
  readonly settings: VectorSettings;
  readonly options: VectorIndexOptions;
  /** Ends the workers; harmless when repeated. Call it after all views have stopped. */
  stop(): Promise<void>;
}

export function createVectorWorkers({ settings: { vectors } }: Pick<DocsEnvironment, 'settings'>): VectorWorkers {
  const settings = { ...DEFAULTS, ...vectors };
  const pool = new WorkerPool(settings.parallelWorkers);
  return {
    settings,
    options: {
      pool,
      parallelMinRows: settings.parallelMinSize,
      factories: allFactories(settings.bqRerankFactor),
    },
    stop: () => pool.close(),
  };
}
