import type { Point } from './distance.ts';

/** Digits of a geohash, 5 bits each (Niemeyer, 2008): no a, i, l and o. */
const ALPHABET = '0123456789bcdefghjkmnpqrstuvwxyz';
const DIGIT_BITS = 5;
const MAX_GEOHASH_LENGTH = 12;
const HALF_BITS = 30n;
const HALF = (1n << HALF_BITS) - 1n;

/** A cell of a geohash with its borders in degrees. */
interface GeohashCell extends Point {
  readonly minLat: number;
  readonly maxLat: number;
  readonly minLng: number;
  readonly maxLng: number;
}

interface Range {
  low: number;
  high: number;
}

/**
 * The centre of a geohash's cell; undefined for texts that are not a geohash of 1 to 12 characters. Case does not
 * matter.
 */
export function decodeGeohash(hash: string): Point | undefined {
  const cell = geohashCell(hash);
  return cell && { lat: cell.lat, lng: cell.lng };
}

/** The cell of a geohash; undefined for texts that are not a geohash of 1 to 12 characters. Case does not matter. */
export function geohashCell(hash: string): GeohashCell | undefined {
  const digits = [...hash.toLowerCase()].map((character) => ALPHABET.indexOf(character));
  if (digits.length === 0 || digits.length > MAX_GEOHASH_LENGTH || digits.includes(-1)) return undefined;
  const { lng, lat } = wholeGlobe();
  // The first bit halves the longitudes; then latitudes and longitudes alternate.
  for (let bit = 0; bit < digits.length * DIGIT_BITS; bit++) {
    const digit = digits[Math.floor(bit / DIGIT_BITS)]!;
    halve(bit % 2 === 0 ? lng : lat, ((digit >> (DIGIT_BITS - 1 - (bit % DIGIT_BITS))) & 1) !== 0);
  }
  return {
    lat: middleOf(lat),
    lng: middleOf(lng),
    minLat: lat.low,
    maxLat: lat.high,
    minLng: lng.low,
    maxLng: lng.high,
  };
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
  // Two halves of six digits, because arithmetic with a bigint for each digit takes longer.
  const [low, high] = [Number(cell & HALF), Number(cell >> HALF_BITS)];
  let hash = '';
  for (let i = 0; i < length; i++) hash = ALPHABET[((i < 6 ? low : high) >> (DIGIT_BITS * (i % 6))) & 31]! + hash;
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
