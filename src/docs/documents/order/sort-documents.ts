import type { OrdSet } from '../../../lib/ord-set.ts';
import { comparePlaces, sortInSteps, type SortKey } from '../../../search/order/index.ts';
import type { Queries } from '../../../storage/index.ts';
import { Pace } from '../pace.ts';
import { readPlaces } from './read-places.ts';

/** The first `count` of some documents in an order, by ordinal. Equal ones are in the order in which they were added. */
export async function sortDocuments(queries: Queries, cid: number, documents: OrdSet, keys: readonly SortKey[], count: number): Promise<number[]> {
  const pace = new Pace();
  const places = await readPlaces(queries, cid, documents, keys);
  const sorted = await sortInSteps([...places], ([, a], [, b]) => comparePlaces(a, b, keys), count, () => pace.rest());
  return sorted.map(([ord]) => ord);
}
