/** The door of what views of the change feed have in common. */
export { acknowledgeCaughtUp, type Following } from './acknowledge.ts';
export { CheckpointFiles } from './checkpoint-files.ts';
export { CollectionView, type CollectionViewOptions } from './collection-view.ts';
export type { Effect, Entry, Steps, ViewIndex, ViewKind } from './view-kind.ts';
