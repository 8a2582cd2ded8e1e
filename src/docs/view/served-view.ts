import type { CollectionView } from './collection-view.ts';
import type { ViewIndex } from './view-kind.ts';

/** What a service needs of each view, whatever its indexes are. */
export type ServedView = Pick<CollectionView<ViewIndex>,
  'start' | 'stop' | 'restart' | 'isCaughtUp' | 'caughtUp' | 'reached' | 'settled' | 'name' | 'isReady' | 'changed'
    | 'position' | 'bytesOf' | 'inMemory' | 'intoMemory' | 'partIntoMemory' | 'rest' | 'counts' | 'stateOf'
    | 'divisionOf' | 'takeOver' | 'leaveFormer' | 'leaveTo' | 'answer' | 'answerAsEmpty' | 'woken'>;
