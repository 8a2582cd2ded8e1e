import type { CollectionView } from './collection-view.ts';
import type { ViewIndex } from './view-kind.ts';

/** What a service needs of each view, whatever its indexes are. */
export type ServedView = Pick<CollectionView<ViewIndex>,
  'start' | 'restart' | 'isCaughtUp' | 'caughtUp' | 'reached' | 'settled' | 'name' | 'isReady' | 'changed' | 'position'
    | 'bytesOf' | 'inMemory' | 'intoMemory' | 'partIntoMemory' | 'rest' | 'counts' | 'stateOf' | 'stateOfPart'
    | 'leaveTo' | 'answer' | 'woken'>;
