import { OrdSet } from '../../lib/ord-set.ts';
import type { Circle } from '../../search/geo/index.ts';
import type { GeoView } from './geo-view.ts';

/** A circle as requests define it. */
export interface CircleInput {
  readonly lat: number;
  readonly lng: number;
  readonly radiusMeters: number;
}

export function circleOf({ lat, lng, radiusMeters }: CircleInput): Circle {
  return { middle: { lat, lng }, radiusMeters };
}

/** The documents in a circle, of some documents of a collection or of all. Throws `IndexLoading`. */
export async function withinCircle(view: Pick<GeoView, 'indexOf'>, collection: string, circle: Circle,
  documents: OrdSet | undefined): Promise<OrdSet>
{
  return view.indexOf(collection)?.inCircle(circle, documents) ?? new OrdSet();
}
