import * as allocator from '../../generated/kernels/columns.ts';
import * as layout from '../../generated/kernels/geo.ts';
import { instantiateKernel, type KernelBuild, loadKernel } from './load.ts';

/** Bytes of a point, including its ordinal. */
export const POINT_BYTES = layout.INSIDE;
/** Above this number of bytes, the buffer of results is freed after a query. */
const KEPT_BYTES = 1 << 20;

/** Exports of `asm/geo.ts`, where their contracts are documented. */
interface GeoExports extends WebAssembly.Exports {
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
  nearByBoxes(sorted: number): number;
  nearByHashes(sorted: number): number;
  withinByBoxes(): number;
  withinByHashes(): number;
  keepOrds(): number;
  countCells(digits: number, most: number): number;
  listPoints(skipped: number, leaves: number): number;
  openShape(edges: number): number;
  shapeEdges(shape: number): number;
  prepareShape(shape: number): void;
  testCandidates(shape: number, from: number, to: number): number;
  passed(shape: number): number;
  closeShape(shape: number): void;
  reserve(buffer: number, bytes: number): number;
  drop(buffer: number): void;
}

/** An interval in degrees, including both ends. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** A box of latitudes and longitudes, with at most three intervals of longitudes; a box across the 180th meridian has two. */
export interface LatLngBox {
  readonly lat: Interval;
  readonly lng: readonly Interval[];
}

export interface NearQuery {
  readonly lat: number;
  readonly lng: number;
  /** Greatest squared chord, on a globe of radius 1. */
  readonly chord: number;
  /** Maximum number of results, 0 for all. */
  readonly limit: number;
  /** Whether results are sorted by chord, then by ordinal. */
  readonly sorted: boolean;
  /** A box that contains everything within the chord; if present, the search uses geohashes instead of the tree's boxes. */
  readonly cover?: LatLngBox | undefined;
  /** Bitmap of the ordinals that may be found; absent for all. */
  readonly filter?: Uint32Array | undefined;
}

/** Documents with their squared chords. */
export interface NearResult {
  readonly ords: Uint32Array;
  readonly chords: Float64Array;
}

/** A side of a polygon, whose corners are longitude and latitude. Edges must be in the order of polygons and rings. */
export interface Edge {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
  readonly ring: number;
  readonly polygon: number;
  readonly isHole: boolean;
}

export interface ShapeTest {
  /** Number of points in the box around the shape. */
  readonly candidates: number;
  /** Tests the candidates from `from` to `to`. */
  test(from: number, to: number): void;
  /** Ordinals of the candidates in the shape, in any order. */
  passed(): Uint32Array;
  /** Must be called exactly once. */
  close(): void;
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

  near({ lat, lng, chord, limit, sorted, cover, filter }: NearQuery): NearResult {
    this.#open({ lat, lng, chord, limit, filter });
    if (cover !== undefined) this.#writeBox(cover);
    const count = cover === undefined ? this.#call.nearByBoxes(sorted ? 1 : 0) : this.#call.nearByHashes(sorted ? 1 : 0);
    const [ords, chords] = [new Uint32Array(count), new Float64Array(count)];
    const at = this.#found();
    const [words, numbers] = [new Uint32Array(this.#memory.buffer, at, (count * layout.NEAR) / 4), new Float64Array(this.#memory.buffer, at, (count * layout.NEAR) / 8)];
    for (let i = 0; i < count; i++) {
      chords[i] = numbers[(i * layout.NEAR) / 8]!;
      ords[i] = words[(i * layout.NEAR + layout.NEAR_ORD) / 4]!;
    }
    this.#trim(count * layout.NEAR);
    return { ords, chords };
  }

  /** Ordinals in a box, in any order. */
  within(box: LatLngBox, { byHashes = false, filter }: { readonly byHashes?: boolean; readonly filter?: Uint32Array | undefined } = {}): Uint32Array {
    this.#findWithin(box, byHashes, filter);
    const count = this.#call.keepOrds();
    const ords = new Uint32Array(this.#memory.buffer, this.#found(), count).slice();
    this.#trim(count * POINT_BYTES);
    return ords;
  }

  /** Prepares to test which points in a box are in a shape; the index may change meanwhile. */
  shape(edges: readonly Edge[], box: LatLngBox, { byHashes = false, filter }: { readonly byHashes?: boolean; readonly filter?: Uint32Array | undefined } = {}): ShapeTest {
    const shape = this.#call.openShape(edges.length) >>> 0;
    const candidates = this.#findWithin(box, byHashes, filter);
    const start = this.#call.shapeEdges(shape) >>> 0;
    const view = this.#view;
    for (const [i, { x0, y0, x1, y1, ring, polygon, isHole }] of edges.entries()) {
      for (const [j, degrees] of [x0, y0, x1, y1].entries()) view.setFloat64(start + i * layout.EDGE + j * 8, degrees, true);
      view.setUint32(start + i * layout.EDGE + layout.E_RING, ring, true);
      view.setUint32(start + i * layout.EDGE + layout.E_PART, polygon * 2 + (isHole ? 1 : 0), true);
    }
    this.#call.prepareShape(shape);
    return {
      candidates,
      test: (from, to) => void this.#call.testCandidates(shape, from, to),
      passed: () => new Uint32Array(this.#memory.buffer, this.#call.testCandidates(shape, 0, 0) >>> 0, this.#call.passed(shape)).slice(),
      close: () => this.#call.closeShape(shape),
    };
  }

  /** Cells of geohashes with this many digits and the number of documents in each, up to `most` with the most first, of equal ones the least. */
  cells(digits: number, most: number, filter?: Uint32Array | undefined): { readonly cell: bigint; readonly count: number }[] {
    this.#open({ lat: 0, lng: 0, chord: 0, limit: 0, filter });
    const count = this.#call.countCells(digits, most);
    const [at, view] = [this.#found(), this.#view];
    const cells = Array.from({ length: count }, (_, i) => ({ cell: view.getBigUint64(at + i * layout.NEAR, true), count: view.getUint32(at + i * layout.NEAR + layout.NEAR_ORD, true) }));
    // The list of all cells may be long, whatever is kept of it.
    this.#call.drop(layout.B_FOUND);
    return cells;
  }

  /**
   * The points of some leaves of the tree, in the format of `takePoints`: u32 ordinal, u32 0, f64 latitude, f64 longitude, little endian;
   * empty after the last leaf.
   */
  listPoints(skippedLeaves: number, leaves: number): Uint8Array {
    const count = this.#call.listPoints(skippedLeaves, leaves);
    const bytes = new Uint8Array(this.#memory.buffer, this.#found(), count * POINT_BYTES).slice();
    this.#trim(bytes.length);
    return bytes;
  }

  /** Adds the points of such a list, which must be complete points. */
  takePoints(bytes: Uint8Array): void {
    const at = this.#call.reserve(layout.B_INPUT, bytes.length) >>> 0;
    new Uint8Array(this.#memory.buffer, at, bytes.length).set(bytes);
    this.#call.putMany(bytes.length / POINT_BYTES);
    this.#call.drop(layout.B_INPUT);
  }

  #findWithin(box: LatLngBox, byHashes: boolean, filter: Uint32Array | undefined): number {
    this.#open({ lat: 0, lng: 0, chord: 0, limit: 0, filter });
    this.#writeBox(box);
    return byHashes ? this.#call.withinByHashes() : this.#call.withinByBoxes();
  }

  #open({ lat, lng, chord, limit, filter }: Omit<NearQuery, 'cover' | 'sorted'>): void {
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

  /** Frees the buffer of a large result. */
  #trim(bytes: number): void {
    if (bytes > KEPT_BYTES) this.#call.drop(layout.B_FOUND);
  }

  get #view(): DataView<ArrayBuffer> {
    return new DataView(this.#memory.buffer);
  }
}
