import type { CellCount, NearResult } from '../../kernels/geo.ts';
import type { OrdSet } from '../../lib/ord-set.ts';
import type { Point } from './distance.ts';
import type { Circle, LatLngBox, Shape } from './shape.ts';

/** How the index is searched; both ways return the same documents. */
type GeoAlgorithm = 'rtree' | 'geohash';

export interface GeoQuery {
  /** The documents to search; absent for all. */
  readonly documents?: OrdSet | undefined;
  readonly algorithm?: GeoAlgorithm | undefined;
}

export interface NearQuery extends GeoQuery {
  /** Maximum number of results. */
  readonly limit: number;
  /** Along the sphere (`haversine`, the default) or the ellipsoid; see `geodesicMeters`. */
  readonly distance?: 'haversine' | 'geodesic' | undefined;
}

/** A document near a place. */
export interface NearDocument {
  readonly ord: number;
  readonly distanceMeters: number;
}

/** A cell of geohashes, and the documents in it. */
export interface GeoCell {
  readonly geohash: string;
  readonly count: number;
}

/**
 * What is read of the places of a collection's documents. Searches yield to the event loop between steps, and find what
 * was there when they began. They reject with the reason of their signal when it is aborted.
 */
export interface ReadablePlaces {
  /** Unix seconds at which the whole index was last built. */
  readonly builtAt: number;
  /** Number of documents that have a place. */
  readonly documents: number;
  /** Approximate memory in bytes. */
  readonly bytes: number;
  /** The places of some documents; undefined for each that has none. */
  pointsOf(ords: readonly number[]): (Point | undefined)[];
  /**
   * The documents in a circle, including its edge: the nearest first, with equal distances in ascending order of
   * ordinals.
   */
  near(circle: Circle, query: NearQuery, signal?: AbortSignal): Promise<NearDocument[]>;
  /** Ordinals of the documents in a circle, including its edge, in any order. */
  inCircle(circle: Circle, query?: GeoQuery, signal?: AbortSignal): Promise<Uint32Array>;
  /**
   * Ordinals of the documents in a box, including its border, in any order. At a pole, all longitudes are the same
   * place.
   */
  within(box: LatLngBox, query?: GeoQuery, signal?: AbortSignal): Promise<Uint32Array>;
  /**
   * Ordinals of the documents in a shape, including its edge, in any order. A pole is inside if a border reaches it.
   */
  inside(shape: Shape, query?: GeoQuery, signal?: AbortSignal): Promise<Uint32Array>;
  /**
   * Counts documents by geohash of 1 to 12 characters: up to `most` cells, those with the most documents first, then in
   * the order of geohashes.
   */
  cells(length: number, most: number, documents?: OrdSet, signal?: AbortSignal): Promise<GeoCell[]>;
}

/** What several places with different documents offer, so that they can be read as one (`joinPlaces`). */
export interface PlacesPart extends Omit<ReadablePlaces, 'cells'> {
  /** As `near` along the sphere, with the squares of the chords, in whose order they are. */
  nearest(circle: Circle, query: NearQuery, signal?: AbortSignal): Promise<NearResult>;
  /** All cells with documents, as `cells`, with their numbers. */
  allCells(length: number, documents?: OrdSet, signal?: AbortSignal): Promise<readonly CellCount[]>;
}
