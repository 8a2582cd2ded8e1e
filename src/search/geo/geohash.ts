import type { Point } from './distance.ts';

/** Digits of a geohash, 5 bits each (Niemeyer, 2008): no a, i, l and o. */
const ALPHABET = '0123456789bcdefghjkmnpqrstuvwxyz';
const DIGIT_BITS = 5;
const MAX_GEOHASH_LENGTH = 12;

/** A cell of a geohash with its borders in degrees. */
export interface GeohashCell extends Point {
  readonly minLat: number;
  readonly maxLat: number;
  readonly minLng: number;
  readonly maxLng: number;
}

interface Range {
  low: number;
  high: number;
}

/** The centre of a geohash's cell; undefined for texts that are not a geohash of 1 to 12 characters. Case does not matter. */
export function decodeGeohash(hash: string): Point | undefined {
  const cell = geohashCell(hash);
  return cell && { lat: cell.lat, lng: cell.lng };
}

/** The cell of a geohash; undefined for texts that are not a geohash of 1 to 12 characters. Case does not matter. */
export function geohashCell(hash: string): GeohashCell | undefined {
  const digits = [...hash.toLowerCase()].map((character) => ALPHABET.indexOf(character));
  if (digits.length === 0 || digits.length > MAX_GEOHASH_LENGTH || digits.includes(-1)) return undefined;
  const { lng, lat } = wholeGlobe();
  const bits = digits.flatMap((digit) => [16, 8, 4, 2, 1].map((mask) => (digit & mask) !== 0));
  // The first bit halves the longitudes; then latitudes and longitudes alternate.
  for (const [i, isUpper] of bits.entries()) halve(i % 2 === 0 ? lng : lat, isUpper);
  return { lat: middleOf(lat), lng: middleOf(lng), minLat: lat.low, maxLat: lat.high, minLng: lng.low, maxLng: lng.high };
}

/** The geohash of a place, of 1 to 12 characters. A place on a border belongs to the cell to the north or east. */
export function encodeGeohash({ lat, lng }: Point, length: number): string {
  const ranges = wholeGlobe();
  let hash = '';
  for (let digit = 0, bit = 0; hash.length < length; bit++) {
    const [range, degrees] = bit % 2 === 0 ? [ranges.lng, lng] : [ranges.lat, lat];
    const isUpper = degrees >= middleOf(range);
    halve(range, isUpper);
    digit = digit * 2 + (isUpper ? 1 : 0);
    if (bit % DIGIT_BITS !== DIGIT_BITS - 1) continue;
    hash += ALPHABET[digit]!;
    digit = 0;
  }
  return hash;
}

/** The geohash whose digits are the 5-bit groups of a number; the lowest bits are the last digit. */
export function geohashFrom(cell: bigint, length: number): string {
  let hash = '';
  for (let rest = cell; hash.length < length; rest >>= 5n) hash = ALPHABET[Number(rest & 31n)]! + hash;
  return hash;
}

function wholeGlobe(): { lng: Range; lat: Range } {
  return { lng: { low: -180, high: 180 }, lat: { low: -90, high: 90 } };
}

function middleOf({ low, high }: Range): number {
  return (low + high) / 2;
}

function halve(range: Range, isUpper: boolean): void {
  const middle = middleOf(range);
  if (isUpper) range.low = middle;
  else range.high = middle;
}
