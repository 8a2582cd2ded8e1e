import type { Point } from './distance.ts';

/** Digits of a geohash, 5 bits each (Niemeyer, 2008): no a, i, l and o. */
const ALPHABET = '0123456789bcdefghjkmnpqrstuvwxyz';
const MAX_LENGTH = 12;

/** The middle of a geohash's cell; undefined for what is no geohash of 1 to 12 characters. Case does not matter. */
export function decodeGeohash(hash: string): Point | undefined {
  const digits = [...hash.toLowerCase()].map((character) => ALPHABET.indexOf(character));
  if (digits.length === 0 || digits.length > MAX_LENGTH || digits.includes(-1)) return undefined;
  const lng = { low: -180, high: 180 };
  const lat = { low: -90, high: 90 };
  const bits = digits.flatMap((digit) => [16, 8, 4, 2, 1].map((mask) => (digit & mask) !== 0));
  // The first bit halves the longitudes, and from there they take turns.
  for (const [i, isUpper] of bits.entries()) halve(i % 2 === 0 ? lng : lat, isUpper);
  return { lat: (lat.low + lat.high) / 2, lng: (lng.low + lng.high) / 2 };
}

function halve(range: { low: number; high: number }, isUpper: boolean): void {
  const middle = (range.low + range.high) / 2;
  if (isUpper) range.low = middle;
  else range.high = middle;
}
