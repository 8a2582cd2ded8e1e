import { OrdSet } from '../../lib/ord-set.ts';
import type { Circle } from '../../search/geo/index.ts';
import type { GeoView } from './geo-view.ts';

/** What requests say of a circle. */
export interface CircleInput {
  readonly lat: number;
  readonly lng: number;
  readonly radiusMeters: number;
}

export function circleOf({ lat, lng, radiusMeters }: CircleInput): Circle {
  return { middle: { lat, lng }, radiusMeters };
}

/** Of some documents of a collection, or of all, those in a circle; nobody may change the set (see `GeoIndex.inCircle`). Throws `IndexLoading`. */
export function withinCircle(view: Pick<GeoView, 'indexOf'>, collection: string, circle: Circle, documents: OrdSet | undefined): OrdSet {
  return view.indexOf(collection)?.inCircle(circle, documents) ?? new OrdSet();
}
