import type { OrdSet } from '../../../lib/ord-set.ts';
import { comparePlaces, isAfter, sortInSteps, type Mark, type Place, type SortKey } from '../../../search/order/index.ts';
import type { Sql } from '../../../storage/index.ts';
import type { CollectionRow } from '../collection-rows.ts';
import { Pace } from '../../../lib/pace.ts';
import { readPlaces } from './read-places.ts';

/** The first `count` of some documents in an order, behind the end of the page before, with what they are sorted by. Equal ones are in the order in which they were added. */
export async function sortDocuments(sql: Sql, collection: CollectionRow, documents: OrdSet, keys: readonly SortKey[], count: number, after?: Mark<number>): Promise<(readonly [ord: number, place: Place])[]> {
  const pace = new Pace();
  const places = await readPlaces(sql, collection, documents, keys);
  const wanted = after === undefined ? [...places] : [...places].filter(([ord, place]) => isAfter(place, ord, after, keys));
  return sortInSteps(wanted, ([, a], [, b]) => comparePlaces(a, b, keys), count, () => pace.rest());
}
