import { type CellCount, GeoKernel, type NearResult, type Reach } from '../../kernels/geo.ts';
import type { KernelBuild } from '../../kernels/load.ts';
import type { OrdSet } from '../../lib/ord-set.ts';
import { Pace, spend } from '../../lib/pace.ts';
import { inSteps, Searches } from '../searches.ts';
import { readPlaces, Snapshot } from './checkpoint.ts';
import type { GeoCell, GeoQuery, NearDocument, NearQuery, PlacesPart, ReadablePlaces } from './contract.ts';
import { EARTH_RADIUS_METERS, geodesicMeters, type Point, SPHERE_TO_ELLIPSOID } from './distance.ts';
import { geohashFrom } from './geohash.ts';
import { boxAround, type Circle, type LatLngBox, type Shape } from './shape.ts';

/** How long a part of a checkpoint is copied at once. */
const COPY_MILLISECONDS = 8;
/** Units of work (see `spend`) of a distance along the ellipsoid: an iteration of up to 100 rounds. */
const GEODESIC = 100;

/**
 * The places of one collection's documents, in a tree in the order of their geohashes whose nodes store the box around
 * them (`asm/geo/layout.ts`). Changes update the tree at once; there is nothing to rebuild.
 *
 * Searches yield to the event loop between steps, and find what was there when they began: a change first waits until
 * they are done (`settle`). They reject with the reason of their signal when it is aborted.
 */
export class PlaceIndex implements ReadablePlaces, PlacesPart {
  readonly #kernel: GeoKernel;
  #snapshot: Snapshot | undefined;
  readonly #searches = new Searches();

  readonly builtAt: number;

  constructor(
    { kernel = new GeoKernel(), builtAt = 0 }: { readonly kernel?: GeoKernel; readonly builtAt?: number } = {},
  ) {
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

  get documents(): number {
    return this.#kernel.points;
  }

  get bytes(): number {
    return this.#kernel.bytes;
  }

  put(ord: number, { lat, lng }: Point): void {
    this.#beforeChange();
    this.#kernel.put(ord, lat, lng);
  }

  /** Does nothing if the document does not exist. */
  remove(ord: number): void {
    this.#beforeChange();
    this.#kernel.remove(ord);
  }

  pointsOf(ords: readonly number[]): (Point | undefined)[] {
    return ords.map((ord) => this.#kernel.pointOf(ord));
  }

  async near(circle: Circle, query: NearQuery, signal?: AbortSignal): Promise<NearDocument[]> {
    if (query.distance === 'geodesic') return this.#nearAlongEllipsoid(circle, query, signal);
    return nearestOf([await this.nearest(circle, query, signal)], query.limit);
  }

  async inCircle(circle: Circle, query: GeoQuery = {}, signal?: AbortSignal): Promise<Uint32Array> {
    return this.#searches.finish(this.#kernel.circle(reachOf(circle, query), searchingOf(query)), signal);
  }

  async within(box: LatLngBox, query: GeoQuery = {}, signal?: AbortSignal): Promise<Uint32Array> {
    return this.#searches.finish(this.#kernel.within(box, searchingOf(query)), signal);
  }

  async inside({ edges, box }: Shape, query: GeoQuery = {}, signal?: AbortSignal): Promise<Uint32Array> {
    const search = this.#kernel.shape(edges, box, searchingOf(query));
    try {
      return await inSteps(await this.#searches.finish(search, signal), signal);
    } finally {
      // Even if the request was aborted: a change may have completed the search.
      search.result()?.close();
    }
  }

  async cells(length: number, most: number, documents?: OrdSet | undefined, signal?: AbortSignal): Promise<GeoCell[]> {
    const cells = await this.#countCells(length, most, documents, signal);
    return cells.map(({ cell, count }) => ({ geohash: geohashFrom(cell, length), count }));
  }

  nearest(circle: Circle, query: NearQuery, signal?: AbortSignal): Promise<NearResult> {
    return this.#searches.finish(this.#kernel.nearest(reachOf(circle, query), query.limit, searchingOf(query)), signal);
  }

  allCells(length: number, documents?: OrdSet | undefined, signal?: AbortSignal): Promise<readonly CellCount[]> {
    return this.#countCells(length, this.documents, documents, signal);
  }

  /**
   * Does a part of what has to be done before a change: copies what `save` has not yet read, and goes on with a search.
   * Returns true while there is more. A change without it does the rest at once; so does one that has waited for many
   * steps, because new searches keep coming.
   */
  settle(): boolean {
    if (this.#snapshot?.copy(COPY_MILLISECONDS) === true) return true;
    this.#snapshot = undefined;
    return this.#searches.settle();
  }

  /** The current places, to be restored by `load`; the index may change while they are read. */
  save(): AsyncIterable<Uint8Array> {
    this.#finishSnapshot();
    const snapshot = new Snapshot(this.#kernel, this.builtAt);
    this.#snapshot = snapshot;
    return snapshot.bytes();
  }

  /** As `cells`, with the numbers of the cells. */
  #countCells(length: number, most: number, documents?: OrdSet | undefined,
    signal?: AbortSignal): Promise<readonly CellCount[]>
  {
    return this.#searches.finish(this.#kernel.cells(length, most, documents?.words), signal);
  }

  #beforeChange(): void {
    this.#finishSnapshot();
    this.#searches.complete();
  }

  #finishSnapshot(): void {
    while (this.#snapshot?.copy(COPY_MILLISECONDS) === true);
    this.#snapshot = undefined;
  }

  /** Distances on the sphere select the documents that may be among the nearest along the ellipsoid. */
  async #nearAlongEllipsoid({ middle, radiusMeters }: Circle, query: NearQuery,
    signal: AbortSignal | undefined): Promise<NearDocument[]>
  {
    const { limit } = query;
    const { least, most } = SPHERE_TO_ELLIPSOID;
    let reach = radiusMeters * most + 1;
    const onSphere = await this.nearest({ middle, radiusMeters: reach }, query, signal);
    // `limit` documents are within this distance on the sphere, so documents that are farther away even along the
    // ellipsoid are not among the nearest.
    if (onSphere.ords.length === limit)
      reach = Math.min(reach, (metersOf(onSphere.chords[limit - 1]!) * most) / least + 1);
    const ords = await this.inCircle({ middle, radiusMeters: reach }, query, signal);
    const best = new Nearest(limit);
    const pace = new Pace();
    for (const ord of ords) {
      const point = this.#kernel.pointOf(ord);
      const distanceMeters = point === undefined ? Infinity : geodesicMeters(middle, point);
      spend(GEODESIC);
      if (distanceMeters <= radiusMeters) best.add({ ord, distanceMeters });
      if (!pace.isDue) continue;
      await pace.rest();
      signal?.throwIfAborted();
    }
    return best.sorted();
  }
}

function searchingOf(
  { documents, algorithm }: GeoQuery,
): { readonly byHashes: boolean; readonly filter: Uint32Array | undefined } {
  return { byHashes: algorithm === 'geohash', filter: documents?.words };
}

function reachOf(circle: Circle, { algorithm }: GeoQuery): Reach {
  return {
    ...circle.middle,
    chord: chordOf(circle.radiusMeters),
    box: algorithm === 'geohash' ? boxAround(circle) : undefined,
  };
}

/** The nearest of many documents. */
class Nearest {
  readonly #limit: number;
  #documents: NearDocument[] = [];
  #farthest = Infinity;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(document: NearDocument): void {
    if (document.distanceMeters > this.#farthest) return;
    this.#documents.push(document);
    if (this.#documents.length >= 2 * this.#limit + SPARE) this.#cut();
  }

  sorted(): NearDocument[] {
    this.#cut();
    return this.#documents;
  }

  #cut(): void {
    this.#documents = this.#documents.sort(compareNear).slice(0, this.#limit);
    spend(this.#documents.length);
    if (this.#documents.length === this.#limit) this.#farthest = this.#documents[this.#limit - 1]!.distanceMeters;
  }
}

/** Documents that are kept beside the nearest ones before they are sorted. */
const SPARE = 512;

/**
 * The nearest of the documents that several searches have found by chords: ties of these are by ordinal, as are those
 * of distances, because different chords may round to the same distance.
 */
export function nearestOf(found: readonly NearResult[], limit: number): NearDocument[] {
  const all = found.flatMap(({ ords, chords }) => Array.from(ords, (ord, i) => ({ ord, chord: chords[i]! })));
  if (found.length > 1) all.sort((a, b) => a.chord - b.chord || a.ord - b.ord);
  return settleTies(all.slice(0, limit).map(({ ord, chord }) => ({ ord, distanceMeters: metersOf(chord) })));
}

/** Sorts documents that are nearly in order: an insertion sort is fast. */
function settleTies(found: NearDocument[]): NearDocument[] {
  for (let i = 1; i < found.length; i++) {
    const one = found[i]!;
    let j = i;
    for (; j > 0 && compareNear(found[j - 1]!, one) > 0; j--) found[j] = found[j - 1]!;
    found[j] = one;
  }
  return found;
}

/** The order of documents by distance. */
export function compareNear(a: NearDocument, b: NearDocument): number {
  return a.distanceMeters - b.distanceMeters || a.ord - b.ord;
}

/**
 * Square of the chord of a distance on a globe of radius 1; larger than any chord if the distance reaches half round
 * the globe.
 */
function chordOf(meters: number): number {
  const half = meters / (2 * EARTH_RADIUS_METERS);
  return half >= Math.PI / 2 ? 5 : (2 * Math.sin(half)) ** 2;
}

function metersOf(chord: number): number {
  return 2 * EARTH_RADIUS_METERS * Math.asin(Math.min(1, Math.sqrt(chord) / 2));
}
