import { degreesOf, distanceMeters, decodeGeohash, EARTH_RADIUS_METERS, GEO_KEYS, pointOf, type Point } from '../../search/geo/index.ts';
import type { Queries } from '../../storage/index.ts';
import { inList, Pace } from '../documents/index.ts';
import { OrdSet } from '../fulltext/index.ts';
import type { Circle } from './request.ts';

/** Documents read by one statement. */
const STEP = 256;
/** Degrees by which the box around a circle is larger, about a metre: rounding takes away far less, even near a pole. */
const MARGIN = 1e-5;

/**
 * The documents of a collection within a circle, with their distance from its middle in metres, only those of `only`
 * if it is there. Those that might be within are found by their values, each of which is compared once; their places
 * are then read as the documents say them.
 */
export async function documentsWithin(queries: Queries, cid: number, circle: Circle, only?: ReadonlySet<number>): Promise<Map<number, number>> {
  const distances = new Map<number, number>();
  const ords = [...only ?? await ordsNear(queries, cid, circle)];
  const pace = new Pace();
  for (let i = 0; i < ords.length; i += STEP) {
    const { marks, params } = inList(ords.slice(i, i + STEP));
    const rows = await queries.all<{ ord: number; meta: string }>(`SELECT ord, meta FROM documents WHERE ord IN (${marks})`, params);
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
async function ordsNear(queries: Queries, cid: number, circle: Circle): Promise<OrdSet> {
  const { near } = boxAround(circle);
  const lats = await ordsWith(queries, cid, GEO_KEYS.lat, (value) => near.lat(degreesOf(value, 90)));
  const lngs = await ordsWith(queries, cid, GEO_KEYS.lng, (value) => near.lng(degreesOf(value, 180)));
  const hashes = await ordsWith(queries, cid, GEO_KEYS.hash, (value) => {
    const point = decodeGeohash(value.trim());
    return near.lat(point?.lat) && near.lng(point?.lng);
  });
  lats.intersect(lngs);
  for (const ord of hashes) lats.add(ord);
  return lats;
}

async function ordsWith(queries: Queries, cid: number, key: string, test: (value: string) => boolean): Promise<OrdSet> {
  const rows = await queries.all<{ v: string; ord: number }>('SELECT v, ord FROM doc_meta WHERE cid = ? AND k = ? ORDER BY v', [cid, key]);
  const ords = new OrdSet();
  const pace = new Pace();
  let value: string | undefined;
  let passes = false;
  for (const [i, { v, ord }] of rows.entries()) {
    if (v !== value) passes = test(value = v);
    if (passes) ords.add(ord);
    if (i % STEP === 0) await pace.rest();
  }
  return ords;
}

type Test = (degrees: number | undefined) => boolean;

/** The smallest box of latitudes and longitudes around a circle, which may go across the anti-meridian. */
export function boxAround({ middle, radiusMeters }: Circle): { readonly near: { readonly lat: Test; readonly lng: Test } } {
  const angle = radiusMeters / EARTH_RADIUS_METERS;
  const height = toDegrees(angle) + MARGIN;
  const width = halfWidth(middle, angle, height) + MARGIN;
  return {
    near: {
      lat: (lat) => lat !== undefined && Math.abs(lat - middle.lat) <= height,
      lng: (lng) => {
        if (lng === undefined) return false;
        const apart = Math.abs(lng - middle.lng) % 360;
        return Math.min(apart, 360 - apart) <= width;
      },
    },
  };
}

/** Degrees of longitude to the meridian that touches a circle; all of them where it holds a pole. */
function halfWidth({ lat }: Point, angle: number, height: number): number {
  if (Math.abs(lat) + height >= 90) return 180;
  return toDegrees(Math.asin(Math.min(1, Math.sin(angle) / Math.cos((lat * Math.PI) / 180))));
}

function toDegrees(radians: number): number {
  return (radians * 180) / Math.PI;
}
