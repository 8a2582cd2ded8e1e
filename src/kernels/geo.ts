import * as allocator from '../../generated/kernels/columns.ts';
import * as layout from '../../generated/kernels/geo.ts';
import { type Edges, type SearchExports, ShapeTest, type Stepping, Walk } from './geo-search.ts';
import { instantiateKernel, type KernelBuild, loadKernel } from './load.ts';

export { EdgeList, type Edges, type Stepping } from './geo-search.ts';

/** Bytes of a point, including its ordinal. */
export const POINT_BYTES = layout.INSIDE;
/** Above this number of bytes, the buffer of results is freed after a search. */
const KEPT_BYTES = 1 << 20;

/** Exports of `asm/geo.ts`, where their contracts are documented. */
interface GeoExports extends SearchExports {
  initialize(): void;
  points(): number;
  ordinalEnd(): number;
  put(ord: number, lat: number, lng: number): number;
  putMany(count: number): void;
  removePoint(ord: number): number;
  latitudeOf(ord: number): number;
  longitudeOf(ord: number): number;
  geohashOf(lat: number, lng: number): bigint;
  openQuery(lat: number, lng: number, chord: number, limit: number): void;
  openWalk(kind: number, byHashes: number): void;
  openCells(digits: number, most: number): void;
  listPoints(skipped: number, leaves: number): number;
  reserve(buffer: number, bytes: number): number;
  bufferBytes(buffer: number): number;
}

/** An interval in degrees, including both ends. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/**
 * A box of latitudes and longitudes, with at most three intervals of longitudes; a box across the 180th meridian has
 * two.
 */
export interface LatLngBox {
  readonly lat: Interval;
  readonly lng: readonly Interval[];
}

/** What restricts the documents of a search, and how it goes through the tree. */
interface Searching {
  /** Whether ranges of geohashes are searched instead of the tree's boxes; both find the same. */
  readonly byHashes?: boolean | undefined;
  /** Bitmap of the ordinals that may be found; absent for all. */
  readonly filter?: Uint32Array | undefined;
}

/** The points within a chord of a point, on a globe of radius 1. */
export interface Reach {
  readonly lat: number;
  readonly lng: number;
  /** Greatest squared chord. */
  readonly chord: number;
  /** A box that contains everything within the chord; required for a search by geohashes. */
  readonly box?: LatLngBox | undefined;
}

/** Documents with their squared chords. */
export interface NearResult {
  readonly ords: Uint32Array;
  readonly chords: Float64Array;
}

/** Documents by the cell of their geohash. */
export interface CellCount {
  readonly cell: bigint;
  readonly count: number;
}

interface Query extends Searching, Partial<Reach> {
  readonly limit?: number;
}

/** The places of one collection in a WebAssembly memory of its own. Ordinals are below 2^32 - 1. */
export class GeoKernel {
  readonly #memory = new WebAssembly.Memory({ initial: 1 });
  readonly #call: GeoExports;

  constructor(build: KernelBuild = 'release') {
    this.#call = instantiateKernel(loadKernel('geo', build), this.#memory) as GeoExports;
    this.#call.initialize();
  }

  get points(): number {
    return this.#call.points();
  }

  /** Size of the memory: bytes that are or were in use. */
  get bytes(): number {
    return this.#view.getUint32(allocator.H_TOP, true);
  }

  /** Sets the place of a document, and replaces its former place. */
  put(ord: number, lat: number, lng: number): void {
    this.#call.put(ord, lat, lng);
  }

  /** Removes a document; does nothing if it does not exist. */
  remove(ord: number): void {
    this.#call.removePoint(ord);
  }

  /** The place of a document; undefined if it has none. */
  pointOf(ord: number): { lat: number; lng: number } | undefined {
    const lat = this.#call.latitudeOf(ord);
    return Number.isNaN(lat) ? undefined : { lat, lng: this.#call.longitudeOf(ord) };
  }

  /** Geohash of 60 bits. */
  geohashOf(lat: number, lng: number): bigint {
    return BigInt.asUintN(64, this.#call.geohashOf(lat, lng));
  }

  /** The up to `limit` nearest points, sorted by chord, then by ordinal; 0 for all. */
  nearest(reach: Reach, limit: number, searching: Searching = {}): Stepping<NearResult> {
    return this.#search(layout.WALK_NEAREST, { ...searching, ...reach, limit }, (at, count) => {
      const [ords, chords] = [new Uint32Array(count), new Float64Array(count)];
      const [words, numbers] = [new Uint32Array(this.#memory.buffer, at, (count * layout.NEAR) / 4),
        new Float64Array(this.#memory.buffer, at, (count * layout.NEAR) / 8)];
      for (let i = 0; i < count; i++) {
        chords[i] = numbers[(i * layout.NEAR) / 8]!;
        ords[i] = words[(i * layout.NEAR + layout.NEAR_ORD) / 4]!;
      }
      return { ords, chords };
    });
  }

  /** Ordinals within reach, in any order. */
  circle(reach: Reach, searching: Searching = {}): Stepping<Uint32Array> {
    return this.#search(layout.WALK_CIRCLE, { ...searching, ...reach }, this.#ords);
  }

  /** Ordinals in a box, in any order. */
  within(box: LatLngBox, searching: Searching = {}): Stepping<Uint32Array> {
    return this.#search(layout.WALK_BOX, { ...searching, box }, this.#ords);
  }

  /**
   * Finds the points in the box around a shape; the result, which must be closed, tests which of them are in the shape.
   */
  shape(edges: Edges, box: LatLngBox, searching: Searching = {}): Stepping<Stepping<Uint32Array>> {
    return this.#search(layout.WALK_PLACES, { ...searching, box },
      () => new ShapeTest(this.#call, this.#memory, edges));
  }

  /**
   * Cells of geohashes with this many digits and the number of documents in each, up to `most` with the most first, of
   * equal ones the least.
   */
  cells(digits: number, most: number, filter?: Uint32Array | undefined): Stepping<CellCount[]> {
    this.#open({ filter });
    this.#call.openCells(digits, most);
    return this.#walk(layout.WALK_CELLS, false, (at, count) => {
      const view = this.#view;
      return Array.from({ length: count }, (_, i) => ({
        cell: view.getBigUint64(at + i * layout.NEAR, true),
        count: view.getUint32(at + i * layout.NEAR + layout.NEAR_ORD, true),
      }));
    });
  }

  /**
   * The points of some leaves of the tree, in the format of `takePoints`: u32 ordinal, u32 0, f64 latitude, f64
   * longitude, little endian; empty after the last leaf.
   */
  listPoints(skippedLeaves: number, leaves: number): Uint8Array {
    const count = this.#call.listPoints(skippedLeaves, leaves);
    const bytes = new Uint8Array(this.#memory.buffer, this.#found(), count * POINT_BYTES).slice();
    this.#trim();
    return bytes;
  }

  /** Adds the points of such a list, which must be complete points. */
  takePoints(bytes: Uint8Array): void {
    const at = this.#call.reserve(layout.B_INPUT, bytes.length) >>> 0;
    new Uint8Array(this.#memory.buffer, at, bytes.length).set(bytes);
    this.#call.putMany(bytes.length / POINT_BYTES);
    this.#call.drop(layout.B_INPUT);
  }

  readonly #ords = (at: number, count: number): Uint32Array => new Uint32Array(this.#memory.buffer, at, count).slice();

  #search<T>(kind: number, query: Query & { readonly box?: LatLngBox | undefined },
    read: (at: number, count: number) => T): Stepping<T>
  {
    this.#open(query);
    if (query.box !== undefined) this.#writeBox(query.box);
    return this.#walk(kind, query.byHashes === true, read);
  }

  #walk<T>(kind: number, byHashes: boolean, read: (at: number, count: number) => T): Stepping<T> {
    this.#call.openWalk(kind, byHashes ? 1 : 0);
    return new Walk(this.#call, () => {
      const result = read(this.#found(), this.#view.getUint32(layout.Q_FOUND, true));
      this.#trim();
      return result;
    });
  }

  #open({ lat = 0, lng = 0, chord = 0, limit = 0, filter }: Query): void {
    this.#call.openQuery(lat, lng, chord, limit);
    if (filter === undefined) return this.#view.setUint32(layout.Q_FILTER_WORDS, layout.NO_FILTER, true);
    const length = Math.min(filter.length, (this.#call.ordinalEnd() + 31) >>> 5);
    const at = this.#call.reserve(layout.B_FILTER, length * 4) >>> 0;
    new Uint32Array(this.#memory.buffer, at, length).set(length < filter.length ? filter.subarray(0, length) : filter);
    this.#view.setUint32(layout.Q_FILTER_WORDS, length, true);
  }

  #writeBox({ lat, lng }: LatLngBox): void {
    const view = this.#view;
    view.setFloat64(layout.Q_LAT, lat.from, true);
    view.setFloat64(layout.Q_LAT + 8, lat.to, true);
    for (let i = 0; i < layout.INTERVALS; i++) {
      view.setFloat64(layout.Q_LNG + i * 16, lng[i]?.from ?? Infinity, true);
      view.setFloat64(layout.Q_LNG + i * 16 + 8, lng[i]?.to ?? -Infinity, true);
    }
  }

  /** Address of the results. */
  #found(): number {
    return this.#call.reserve(layout.B_FOUND, 0) >>> 0;
  }

  /** Frees the buffer of results if it is large. */
  #trim(): void {
    if (this.#call.bufferBytes(layout.B_FOUND) > KEPT_BYTES) this.#call.drop(layout.B_FOUND);
  }

  get #view(): DataView<ArrayBuffer> {
    return new DataView(this.#memory.buffer);
  }
}
