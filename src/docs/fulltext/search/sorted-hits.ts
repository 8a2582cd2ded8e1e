import type { OrdSet } from '../../../lib/ord-set.ts';
import { comparePlaces, isAfter, sortInSteps, type Mark, type Place, type SortKey, type SortValue } from '../../../search/order/index.ts';
import type { Sql } from '../../../storage/index.ts';
import { Pace, readPlaces } from '../../documents/index.ts';
import type { CollectionRow } from './eligible-documents.ts';
import type { TextHit } from '../view/text-index.ts';

export interface Sorted {
  /** The first in the order, by ordinal. */
  readonly first: readonly number[];
  /** What all matches are sorted by. */
  readonly places: ReadonlyMap<number, Place>;
}

/** Whether every match needs its score, and not those alone that are answered. */
export function isByScore(sort: readonly SortKey[]): boolean {
  return sort.some(({ column }) => column.kind === 'score');
}

/** The first `count` matches in another order than by score, of those behind the end of the page before. `scores` has those of all matches where the order looks at them. */
export async function sortMatches(sql: Sql, collection: CollectionRow, matches: OrdSet, sort: readonly SortKey[], scores: readonly TextHit[], { count, after }: { readonly count: number; readonly after: Mark<number> | undefined }): Promise<Sorted> {
  const pace = new Pace();
  const places = await readPlaces(sql, collection, matches, sort);
  for (const [at, { column }] of sort.entries()) {
    if (column.kind === 'score') for (const { ord, score } of scores) place(places, ord)[at] = score;
  }
  const wanted = after === undefined ? [...places] : [...places].filter(([ord, own]) => isAfter(own, ord, after, sort));
  const sorted = await sortInSteps(wanted, ([, a], [, b]) => comparePlaces(a, b, sort), count, () => pace.rest());
  return { first: sorted.map(([ord]) => ord), places };
}

function place(places: Map<number, SortValue[]>, ord: number): SortValue[] {
  return places.get(ord) ?? [];
}
