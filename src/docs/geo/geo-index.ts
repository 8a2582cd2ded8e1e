import { OrdSet } from '../../lib/ord-set.ts';
import type { Circle, PlaceIndex, Point } from '../../search/geo/index.ts';
import type { ViewIndex } from '../view/index.ts';
import { CircleCache } from './circle-cache.ts';

/** The places of one collection, as the view keeps them. */
export class GeoIndex implements ViewIndex {
  readonly places: PlaceIndex;
  readonly #circles = new CircleCache();
  #version = 0;

  constructor(places: PlaceIndex) {
    this.places = places;
  }

  /** Documents that have a place. */
  get documents(): number {
    return this.places.documents;
  }

  get bytes(): number {
    return this.places.bytes + this.#circles.bytes;
  }

  /**
   * The documents in a circle, of some documents or of all. Callers must not change the set: the same object is
   * returned for the same circle and documents as long as no place changes.
   */
  async inCircle(circle: Circle, documents: OrdSet | undefined): Promise<OrdSet> {
    const known = this.#circles.find(circle, documents);
    if (known !== undefined) return known;
    const version = this.#version;
    const set = OrdSet.of(await this.places.inCircle(circle, { documents }));
    if (this.#version === version) this.#circles.keep(circle, documents, set);
    return set;
  }

  /** Without a place the document is removed. */
  put(ord: number, point: Point | undefined): void {
    this.#changed();
    if (point === undefined) this.places.remove(ord);
    else this.places.put(ord, point);
  }

  remove(ord: number): void {
    this.#changed();
    this.places.remove(ord);
  }

  settle(): boolean {
    return this.places.settle();
  }

  save(): AsyncIterable<Uint8Array> {
    return this.places.save();
  }

  #changed(): void {
    this.#version += 1;
    this.#circles.clear();
  }
}
