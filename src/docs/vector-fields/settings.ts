import { availableParallelism } from 'node:os';
import type { DocsSettings } from '../environment.ts';

/** The settings of vector search with all defaults applied. */
export type VectorSettings = Required<NonNullable<DocsSettings['vectors']>>;

const MAX_WORKERS = 16;

export function vectorSettings({ vectors }: Pick<DocsSettings, 'vectors'>): VectorSettings {
  return { ...DEFAULTS, ...vectors };
}

const DEFAULTS: VectorSettings = {
  defaultAlgorithm: 'auto',
  bqRerankFactor: 10,
  parallelMinSize: 2048,
  parallelWorkers: Math.min(MAX_WORKERS, availableParallelism()),
};
