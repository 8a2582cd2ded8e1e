import { GeoKernel, type NearResult } from '../../kernels/geo.ts';
import type { KernelBuild } from '../../kernels/load.ts';
import type { OrdSet } from '../../lib/ord-set.ts';
import { Pace } from '../../lib/pace.ts';
import { boxAround, type Circle, type LatLngBox } from './box.ts';
import { readPlaces, Snapshot } from './checkpoint.ts';
import { EARTH_RADIUS_METERS, type Point } from './distance.ts';
import { geodesicMeters, SPHERE_TO_ELLIPSOID } from './geodesic.ts';
import { geohashFrom } from './geohash.ts';
import type { Shape } from './shape.ts';

/** How the index is searched; both ways return the same documents. */
export type GeoAlgorithm = 'rtree' | 'geohash';

export interface GeoQuery {
  /** The documents to search; absent for all. */
  readonly documents?: OrdSet | undefined;
  readonly algorithm?: GeoAlgorithm | undefined;
}

export interface NearQuery extends GeoQuery {
  /** Maximum number of results; absent for all. */
  readonly limit?: number;
  /** Along the sphere (`haversine`, the default) or the ellipsoid; see `geodesicMeters`. */
  readonly distance?: 'haversine' | 'geodesic' | undefined;
}

/** A document near a place. */
export interface NearDocument {
  readonly ord: number;
  readonly distanceMeters: number;
}

/** Number of points that the first step tests; the number adapts to the time that a step takes. */
const TESTED = 4096;
const MILLISECONDS = 8;

/**
 * The places of one collection's documents, in a tree in the order of their geohashes whose nodes store the box around them
 * (`asm/geo/layout.ts`). Changes update the tree at once; there is nothing to rebuild.
 */
export class PlaceIndex {
  readonly #kernel: GeoKernel;
  #snapshot: Snapshot | undefined;

  /** Unix seconds at which the whole index was last built. */
  readonly builtAt: number;

  constructor({ kernel = new GeoKernel(), builtAt = 0 }: { readonly kernel?: GeoKernel; readonly builtAt?: number } = {}) {
    this.#kernel = kernel;
    this.builtAt = builtAt;
  }

  static create(build?: KernelBuild): PlaceIndex {
    return new PlaceIndex({ kernel: new GeoKernel(build) });
  }

  /** Rejects with a PlacesCheckpointError for bytes that `save` has not written. */
  static async load(bytes: AsyncIterable<Uint8Array>): Promise<PlaceIndex> {
    return new PlaceIndex(await readPlaces(bytes));
  }

  /** Number of documents that have a place. */
  get documents(): number {
    return this.#kernel.points;
  }

  /** Approximate memory in bytes. */
  get bytes(): number {
    return this.#kernel.bytes;
  }

  put(ord: number, { lat, lng }: Point): void {
    this.#finishSnapshot();
    this.#kernel.put(ord, lat, lng);
  }

  /** Does nothing if the document does not exist. */
  remove(ord: number): void {
    this.#finishSnapshot();
    this.#kernel.remove(ord);
  }

  pointOf(ord: number): Point | undefined {
    return this.#kernel.pointOf(ord);
  }

  /** The documents in a circle, including its edge: the nearest first, with equal distances in ascending order of ordinals. */
  near(circle: Circle, query: NearQuery = {}): NearDocument[] {
    if (query.distance === 'geodesic') return this.#nearAlongEllipsoid(circle, query);
    const { ords, chords } = this.#near(circle, query, true);
    return settleTies(Array.from(ords, (ord, i) => ({ ord, distanceMeters: metersOf(chords[i]!) })));
  }

  /** Ordinals of the documents in a circle, including its edge, in any order. */
  inCircle(circle: Circle, query: GeoQuery = {}): Uint32Array {
    return this.#near(circle, query, false).ords;
  }

  /** Ordinals of the documents in a box, including its border, in any order. At a pole, all longitudes are the same place. */
  within(box: LatLngBox, { documents, algorithm }: GeoQuery = {}): Uint32Array {
    return this.#kernel.within(box, { byHashes: algorithm === 'geohash', filter: documents?.words });
  }

  /**
   * Ordinals of the documents in a shape, including its edge, in any order, as of the moment of the call. Yields to the event loop between
   * steps; rejects with the signal's reason when it is aborted. A pole is inside if a border reaches it.
   */
  async inside({ edges, box }: Shape, { documents, algorithm }: GeoQuery = {}, signal?: AbortSignal): Promise<Uint32Array> {
    const test = this.#kernel.shape(edges, box, { byHashes: algorithm === 'geohash', filter: documents?.words });
    try {
      const pace = new Pace();
      for (let from = 0, step = TESTED; from < test.candidates;) {
        const started = performance.now();
        const to = Math.min(test.candidates, from + step);
        test.test(from, to);
        from = to;
        step = nextStep(step, performance.now() - started);
        await pace.rest();
        signal?.throwIfAborted();
      }
      return test.passed();
    } finally {
      test.close();
    }
  }

  /** Counts documents by geohash of 1 to 12 characters: up to `most` cells, those with the most documents first, then in the order of geohashes. */
  cells(length: number, most: number, documents?: OrdSet | undefined): { readonly geohash: string; readonly count: number }[] {
    return this.#kernel.cells(length, most, documents?.words).map(({ cell, count }) => ({ geohash: geohashFrom(cell, length), count }));
  }

  /** Copies a part of what `save` has not yet read; returns true while there is more. A change without it copies the rest at once. */
  settle(): boolean {
    if (this.#snapshot?.copy(MILLISECONDS) === true) return true;
    this.#snapshot = undefined;
    return false;
  }

  /** The current places, to be restored by `load`; the index may change while they are read. */
  save(): AsyncIterable<Uint8Array> {
    this.#finishSnapshot();
    const snapshot = new Snapshot(this.#kernel, this.builtAt);
    this.#snapshot = snapshot;
    return snapshot.bytes();
  }

  #finishSnapshot(): void {
    while (this.settle());
  }

  #near(circle: Circle, { documents, algorithm, limit = 0 }: NearQuery, sorted: boolean): NearResult {
    const { middle, radiusMeters } = circle;
    const cover = algorithm === 'geohash' ? boxAround(circle) : undefined;
    return this.#kernel.near({ ...middle, chord: chordOf(radiusMeters), limit, sorted, cover, filter: documents?.words });
  }

  /** Distances on the sphere select the documents that may be among the nearest along the ellipsoid. */
  #nearAlongEllipsoid({ middle, radiusMeters }: Circle, query: NearQuery): NearDocument[] {
    const { limit, distance: _, ...others } = query;
    const { least, most } = SPHERE_TO_ELLIPSOID;
    let reach = radiusMeters * most + 1;
    if (limit !== undefined) {
      const onSphere = this.#near({ middle, radiusMeters: reach }, { ...others, limit }, true);
      // `limit` documents are within this distance on the sphere, so documents that are farther away even along the ellipsoid are not among
      // the nearest.
      if (onSphere.ords.length === limit) reach = Math.min(reach, (metersOf(onSphere.chords[limit - 1]!) * most) / least + 1);
    }
    const { ords } = this.#near({ middle, radiusMeters: reach }, others, true);
    const found = Array.from(ords, (ord) => ({ ord, distanceMeters: geodesicMeters(middle, this.#kernel.pointOf(ord)!) }));
    const inReach = found.filter(({ distanceMeters }) => distanceMeters <= radiusMeters);
    return inReach.sort(compare).slice(0, limit);
  }
}

/**
 * Orders hits that are sorted by chords: different chords may round to the same distance. The list is nearly in order, so an insertion sort
 * is fast.
 */
function settleTies(found: NearDocument[]): NearDocument[] {
  for (let i = 1; i < found.length; i++) {
    const one = found[i]!;
    let j = i;
    for (; j > 0 && compare(found[j - 1]!, one) > 0; j--) found[j] = found[j - 1]!;
    found[j] = one;
  }
  return found;
}

function compare(a: NearDocument, b: NearDocument): number {
  return a.distanceMeters - b.distanceMeters || a.ord - b.ord;
}

/** Adapts the step to the time that the event loop may wait. */
function nextStep(step: number, took: number): number {
  if (took > MILLISECONDS) return Math.max(1, step >> 1);
  return took < MILLISECONDS / 4 ? Math.min(step * 2, 1 << 20) : step;
}

/** Square of the chord of a distance on a globe of radius 1; larger than any chord if the distance reaches half round the globe. */
function chordOf(meters: number): number {
  const half = meters / (2 * EARTH_RADIUS_METERS);
  return half >= Math.PI / 2 ? 5 : (2 * Math.sin(half)) ** 2;
}

function metersOf(chord: number): number {
  return 2 * EARTH_RADIUS_METERS * Math.asin(Math.min(1, Math.sqrt(chord) / 2));
}
