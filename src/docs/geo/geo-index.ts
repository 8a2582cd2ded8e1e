import { OrdSet } from '../../lib/ord-set.ts';
import type { Circle, PlaceIndex, Point } from '../../search/geo/index.ts';
import type { ViewIndex } from '../view/index.ts';

/** The places of one collection, as the view keeps them. */
export class GeoIndex implements ViewIndex {
  readonly places: PlaceIndex;

  constructor(places: PlaceIndex) {
    this.places = places;
  }

  /** Documents that have a place. */
  get documents(): number {
    return this.places.documents;
  }

  get bytes(): number {
    return this.places.bytes;
  }

  /** The documents in a circle, of some documents or of all. */
  async inCircle(circle: Circle, documents: OrdSet | undefined): Promise<OrdSet> {
    return OrdSet.of(await this.places.inCircle(circle, { documents }));
  }

  /** Without a place the document is removed. */
  put(ord: number, point: Point | undefined): void {
    if (point === undefined) this.places.remove(ord);
    else this.places.put(ord, point);
  }

  remove(ord: number): void {
    this.places.remove(ord);
  }

  settle(): boolean {
    return this.places.settle();
  }

  save(): AsyncIterable<Uint8Array> {
    return this.places.save();
  }
}
