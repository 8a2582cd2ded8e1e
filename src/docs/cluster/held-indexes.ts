import { collectionOf, type IndexCounts, type IndexInMemory } from '../view/index.ts';
import type { Holding } from './cluster.ts';
import type { Collections } from './collections.ts';
import { numberOf, type UnitNumber } from './unit.ts';

/** What of a view says which of its indexes are there: see `CollectionView`. */
export interface HeldView {
  readonly isReady: boolean;
  readonly position: number | undefined;
  inMemory(): readonly IndexInMemory[];
  stateOf(collection: string): keyof IndexCounts | undefined;
}

/**
 * What this process has ready: the collections that every view has in memory, and of those that it holds also what
 * rests and is read when it is searched.
 */
export function holdingOf(views: readonly HeldView[], collections: Pick<Collections, 'numbers'>,
  isHeld: (collection: string) => boolean): Holding
{
  const bytes = new Map<string, number>();
  let used = 0;
  for (const { name, bytes: size } of views.flatMap((view) => view.inMemory())) {
    const collection = collectionOf(name);
    bytes.set(collection, (bytes.get(collection) ?? 0) + size);
    used += size;
  }
  const ready = new Map<UnitNumber, number>();
  for (const [name, collection] of collections.numbers)
    if (views.every((view) => isReady(view, name, isHeld(name))))
      ready.set(numberOf({ collection, partition: 0 }), bytes.get(name) ?? 0);
  return { ready, used, position: Math.min(...views.map(({ position = 0 }) => position)) };
}

/** A collection of which a view has nothing indexed is ready unless the view is loading. */
function isReady(view: HeldView, collection: string, isHeld: boolean): boolean {
  const state = view.stateOf(collection);
  return state === undefined ? view.isReady : state === 'memory' || (state === 'resting' && isHeld);
}
