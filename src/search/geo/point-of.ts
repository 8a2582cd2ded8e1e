import type { Point } from './distance.ts';
import { decodeGeohash } from './geohash.ts';

/** Metadata keys that contain the place of a document. */
export const GEO_KEYS = {
  lat: 'geo_lat',
  lng: 'geo_lng',
  hash: 'geo_hash',
  postcode: 'geo_postcode',
  country: 'geo_country',
} as const;

/** A document with none of these has no place; so few documents have one that this is checked first. */
const KEYS_OF_PLACES = [GEO_KEYS.lat, GEO_KEYS.hash, GEO_KEYS.postcode] as const;

/** Returns the place of a country's postcode; undefined if no dataset has it. */
export type PostcodeLookup = (country: string, postcode: string) => Point | undefined;

type Meta = Readonly<Record<string, readonly string[]>>;

const DEGREES = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * The place of a document, by its metadata: latitude and longitude, else a geohash, else a postcode (decisions section
 * 4.6). The first value of a key counts. Invalid values are ignored; undefined if no valid one is left.
 */
export function pointOf(meta: Meta, postcodes: PostcodeLookup = () => undefined): Point | undefined {
  if (!KEYS_OF_PLACES.some((key) => Object.hasOwn(meta, key))) return undefined;
  const [lat, lng] = [degreesOf(first(meta, GEO_KEYS.lat), 90), degreesOf(first(meta, GEO_KEYS.lng), 180)];
  if (lat !== undefined && lng !== undefined) return { lat, lng };
  const cell = decodeGeohash(first(meta, GEO_KEYS.hash).trim());
  if (cell !== undefined) return cell;
  const [country, postcode] = [first(meta, GEO_KEYS.country).trim(), first(meta, GEO_KEYS.postcode).trim()];
  return country === '' || postcode === '' ? undefined : postcodes(country, postcode);
}

/** Degrees between -`limit` and `limit`; undefined for anything else. */
export function degreesOf(text: string, limit: number): number | undefined {
  const trimmed = text.trim();
  const degrees = DEGREES.test(trimmed) ? Number(trimmed) : NaN;
  return Math.abs(degrees) <= limit ? degrees : undefined;
}

function first(meta: Meta, key: string): string {
  return (Object.hasOwn(meta, key) ? meta[key]?.[0] : undefined) ?? '';
}
