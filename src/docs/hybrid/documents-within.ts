import { distanceMeters, decodeGeohash, EARTH_RADIUS_METERS, GEO_KEYS, pointOf, type Point } from '../../search/geo/index.ts';
import type { Filter } from '../../search/filter/index.ts';
import type { Queries } from '../../storage/index.ts';
import { Pace } from '../../lib/pace.ts';
import { inList } from '../documents/index.ts';
import { eligibleDocuments, type EligibilityDeps } from '../fulltext/index.ts';
import type { Circle } from './request.ts';

/** Documents read by one statement. */
const STEP = 256;
/** Degrees by which the box around a circle is larger, about a metre: rounding takes away far less, even near a pole. */
const MARGIN = 1e-5;

export interface WithinDeps extends EligibilityDeps {
  readonly sql: Queries;
}

/**
 * The documents of a collection within a circle, with their distance from its middle in metres, only those of `only`
 * if it is there. The columns say which of them might be within; their places are then read as the documents say them.
 */
export async function documentsWithin(deps: WithinDeps, collection: string, circle: Circle, only?: ReadonlySet<number>): Promise<Map<number, number>> {
  const distances = new Map<number, number>();
  const ords = [...only ?? await ordsNear(deps, collection, circle)];
  const pace = new Pace();
  for (let i = 0; i < ords.length; i += STEP) {
    const { marks, params } = inList(ords.slice(i, i + STEP));
    const rows = await deps.sql.all<{ ord: number; meta: string }>(`SELECT ord, meta FROM documents WHERE ord IN (${marks})`, params);
    for (const { ord, meta } of rows) {
      const point = pointOf(JSON.parse(meta) as Record<string, string[]>);
      const distance = point && distanceMeters(circle.middle, point);
      if (distance !== undefined && distance <= circle.radiusMeters) distances.set(ord, distance);
    }
    await pace.rest();
  }
  return distances;
}

/** Documents of which some value is in the box around a circle: all that are within it, and some others. */
async function ordsNear(deps: WithinDeps, collection: string, circle: Circle): Promise<Iterable<number>> {
  const box = boxAround(circle);
  const isPlaced: Filter = { kind: 'and', parts: [inAny(GEO_KEYS.lat, [box.lat]), inAny(GEO_KEYS.lng, box.lng)] };
  const hashes = await hashesNear(deps, collection, box);
  const filter: Filter = hashes.length === 0 ? isPlaced : { kind: 'or', parts: [isPlaced, { kind: 'match', field: `meta.${GEO_KEYS.hash}`, values: hashes }] };
  const { documents, columns } = await eligibleDocuments(deps, collection, { filter });
  return columns === undefined ? [] : documents!;
}

/** Degrees are written as numbers are, so a range finds every value that can be read as degrees. */
function inAny(key: string, intervals: readonly Interval[]): Filter {
  return { kind: 'or', parts: intervals.map(({ from, to }) => ({ kind: 'range', field: `meta.${key}`, bounds: { gte: from, lte: to } })) };
}

/** Values that are geohashes in the box; each is read once, however many documents have it. */
async function hashesNear({ columns }: WithinDeps, collection: string, { near }: Box): Promise<string[]> {
  const pace = new Pace();
  const hashes: string[] = [];
  const known = columns.indexOf(collection)?.columns.facet(undefined, { field: GEO_KEYS.hash, orderBy: 'value', limit: 0 }) ?? [];
  for (const [i, { value }] of known.entries()) {
    const point = decodeGeohash(value.trim());
    if (near.lat(point?.lat) && near.lng(point?.lng)) hashes.push(value);
    if (i % STEP === 0) await pace.rest();
  }
  return hashes;
}

type Test = (degrees: number | undefined) => boolean;

/** Degrees, both ends included. */
interface Interval {
  readonly from: number;
  readonly to: number;
}

export interface Box {
  readonly lat: Interval;
  /** Several where the box goes across the anti-meridian. */
  readonly lng: readonly Interval[];
  readonly near: { readonly lat: Test; readonly lng: Test };
}

/** The smallest box of latitudes and longitudes around a circle. */
export function boxAround({ middle, radiusMeters }: Circle): Box {
  const angle = radiusMeters / EARTH_RADIUS_METERS;
  const height = toDegrees(angle) + MARGIN;
  const width = halfWidth(middle, angle, height) + MARGIN;
  const lat = { from: middle.lat - height, to: middle.lat + height };
  const lng = [0, -360, 360].map((turn) => ({ from: middle.lng - width + turn, to: middle.lng + width + turn }));
  const isIn = (degrees: number | undefined, { from, to }: Interval): boolean => degrees !== undefined && degrees >= from && degrees <= to;
  return { lat, lng, near: { lat: (degrees) => isIn(degrees, lat), lng: (degrees) => lng.some((interval) => isIn(degrees, interval)) } };
}

/** Degrees of longitude to the meridian that touches a circle; all of them where it holds a pole. */
function halfWidth({ lat }: Point, angle: number, height: number): number {
  if (Math.abs(lat) + height >= 90) return 180;
  return toDegrees(Math.asin(Math.min(1, Math.sin(angle) / Math.cos((lat * Math.PI) / 180))));
}

function toDegrees(radians: number): number {
  return (radians * 180) / Math.PI;
}
