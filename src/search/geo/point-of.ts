import type { Point } from './distance.ts';
import { decodeGeohash } from './geohash.ts';

/** Metadata keys that say where a document is. */
export const GEO_KEYS = { lat: 'geo_lat', lng: 'geo_lng', hash: 'geo_hash', postcode: 'geo_postcode', country: 'geo_country' } as const;

/** Where a postcode of a country is; undefined when no dataset has it. */
export type PostcodeLookup = (country: string, postcode: string) => Point | undefined;

type Meta = Readonly<Record<string, readonly string[]>>;

const DEGREES = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * Where a document is, by its metadata: latitude and longitude, else a geohash, else a postcode (decisions
 * section 4.6). The first value of a key counts. What cannot be read is as if it were not there; undefined when
 * nothing is left.
 */
export function pointOf(meta: Meta, postcodes: PostcodeLookup = () => undefined): Point | undefined {
  const [lat, lng] = [degreesOf(first(meta, GEO_KEYS.lat), 90), degreesOf(first(meta, GEO_KEYS.lng), 180)];
  if (lat !== undefined && lng !== undefined) return { lat, lng };
  const cell = decodeGeohash(first(meta, GEO_KEYS.hash).trim());
  if (cell !== undefined) return cell;
  const [country, postcode] = [first(meta, GEO_KEYS.country).trim(), first(meta, GEO_KEYS.postcode).trim()];
  return country === '' || postcode === '' ? undefined : postcodes(country, postcode);
}

/** A number of degrees within plus or minus `limit`; undefined for anything else. */
export function degreesOf(text: string, limit: number): number | undefined {
  const trimmed = text.trim();
  const degrees = DEGREES.test(trimmed) ? Number(trimmed) : NaN;
  return Math.abs(degrees) <= limit ? degrees : undefined;
}

function first(meta: Meta, key: string): string {
  return (Object.hasOwn(meta, key) ? meta[key]?.[0] : undefined) ?? '';
}
