import { collectionOf, type IndexInMemory } from '../view/index.ts';
import type { Holding } from './cluster.ts';
import type { Collections } from './collections.ts';
import { numberOf, type UnitNumber } from './unit.ts';

/** What of a view says which of its indexes are there: see `CollectionView`. */
export interface HeldView {
  readonly isReady: boolean;
  readonly position: number | undefined;
  inMemory(): readonly IndexInMemory[];
}

/**
 * What this process has ready: the collections that every view serves, those included whose indexes rest and are read
 * when they are searched.
 */
export function holdingOf(views: readonly HeldView[], collections: Pick<Collections, 'numbers'>): Holding {
  const bytes = new Map<string, number>();
  let used = 0;
  const loading: ReadonlySet<string>[] = [];
  for (const view of views) {
    const inMemory = view.inMemory();
    for (const { name, bytes: size } of inMemory) {
      const collection = collectionOf(name);
      bytes.set(collection, (bytes.get(collection) ?? 0) + size);
      used += size;
    }
    // While a view loads, or one of its indexes is out of service, what it has in memory is ready.
    if (!view.isReady) loading.push(new Set(inMemory.map(({ name }) => collectionOf(name))));
  }
  const ready = new Map<UnitNumber, number>();
  for (const [name, collection] of collections.numbers)
    if (loading.every((there) => there.has(name)))
      ready.set(numberOf({ collection, partition: 0 }), bytes.get(name) ?? 0);
  return { ready, used, position: Math.min(...views.map(({ position = 0 }) => position)) };
}
