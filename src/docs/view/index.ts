/** The entry point of the area that all views of the change feed share. */
export { CheckpointCopies, type CopiesSettings, createCheckpointCopies } from './bucket/index.ts';
export { CheckpointFiles } from './checkpoint-files.ts';
export { ClosingView, type OnClose } from './closing-view.ts';
export { CollectionView, type CollectionViewOptions } from './collection-view.ts';
export { type IndexCounts, type IndexInMemory, IndexMemory, MOST_AT_REST } from './index-memory.ts';
export { viewOptions } from './options.ts';
export { andInPartition, collectionOf, MOST_PARTITIONS, type Partition } from './partitions.ts';
export { IndexElsewhere, IndexLoading, loadingHere, Readiness } from './readiness.ts';
export { restoreEach, saved } from './saved-indexes.ts';
export type { ServedView } from './served-view.ts';
export type { Effect, Entry, EntryGroup, Steps, ViewIndex, ViewKind } from './view-kind.ts';
