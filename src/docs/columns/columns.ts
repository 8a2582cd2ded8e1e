import type { Collections } from '../collections/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { CheckpointFiles } from '../view/index.ts';
import { CHECKPOINT_MAGIC, type ColumnsFactory, columnsFactory, type ColumnsView,
  createColumnsView } from './columns-view.ts';

export interface ColumnsAreas {
  /** Called when a checkpoint is written, so it must return from memory. */
  readonly collections: Pick<Collections, 'configOf'>;
  /** For tests with other columns. */
  readonly factory?: ColumnsFactory;
}

/** The view of documents' metadata, times and names, which evaluates filters, facets, counts and orders. */
export function createColumns(environment: Pick<DocsEnvironment, 'sql' | 'feed' | 'log' | 'keys'>,
  { collections, factory = columnsFactory }: ColumnsAreas): ColumnsView
{
  return createColumnsView(environment, {
    factory,
    isSecret: (collection) => collections.configOf(collection)?.encrypted === true,
    keys: environment.keys,
    checkpoints: CheckpointFiles.beside(environment.sql, 'columns', CHECKPOINT_MAGIC),
  });
}
