import { type IndexCounts, type IndexInMemory, nameOfPartition, type Partition } from '../view/index.ts';
import type { Holding } from './cluster.ts';
import type { Collections } from './collections.ts';
import type { UnitNumber } from './unit.ts';

/** What of a view says which of its indexes are there: see `CollectionView`. */
export interface HeldView {
  readonly isReady: boolean;
  readonly position: number | undefined;
  inMemory(): readonly IndexInMemory[];
  stateOf(partition: Partition): keyof IndexCounts | undefined;
}

/**
 * What this process has ready: the partitions that every view has in memory, and of those that it holds also what rests
 * and is read when it is searched.
 */
export function holdingOf(views: readonly HeldView[], { listed }: Pick<Collections, 'listed'>,
  isHeld: (unit: UnitNumber) => boolean): Holding
{
  const bytes = new Map<string, number>();
  let used = 0;
  for (const { name, bytes: size } of views.flatMap((view) => view.inMemory())) {
    bytes.set(name, (bytes.get(name) ?? 0) + size);
    used += size;
  }
  const ready = new Map<UnitNumber, number>();
  for (const { partition, unit } of listed)
    if (views.every((view) => isReady(view, partition, isHeld(unit))))
      ready.set(unit, bytes.get(nameOfPartition(partition)) ?? 0);
  return { ready, used, position: Math.min(...views.map(({ position = 0 }) => position)) };
}

/** A partition of a collection of which a view has nothing indexed is ready unless the view is loading. */
function isReady(view: HeldView, partition: Partition, isHeld: boolean): boolean {
  const state = view.stateOf(partition);
  return state === undefined ? view.isReady : state === 'memory' || (state === 'resting' && isHeld);
}
