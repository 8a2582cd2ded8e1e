// One query at a time: its conditions and its results. The host sets the fields before it calls.
//
//     QUERY  f64 x, y, z of the middle; f64 greatest square of a chord
//            f64 least and greatest latitude; 3 x (f64 least, f64 greatest longitude), unused ones empty
// u32 results to find, 0 for all; u32 words of the bitmap in B_FILTER, NO_FILTER for none; u32 found; u32 interval of
// longitudes whose
// geohashes are being searched, ANY for all; the walk, see `frames.ts`; u32 bytes of a result; u32 bits of a key below
// a cell;
//            u32 cells to keep; u32 cells that were compared
import { B_FILTER, B_FOUND, buffer, extend } from './buffers.ts';
import { keyOf } from './keys.ts';
import { QUERY } from './layout.ts';

export const Q_X: usize = QUERY;
export const Q_Y: usize = QUERY + 8;
export const Q_Z: usize = QUERY + 16;
export const Q_CHORD: usize = QUERY + 24;
export const Q_LAT: usize = QUERY + 32;
export const Q_LNG: usize = QUERY + 48;
export const Q_LIMIT: usize = QUERY + 96;
export const Q_FILTER_WORDS: usize = QUERY + 100;
export const Q_FOUND: usize = QUERY + 104;

export const Q_INTERVAL: usize = QUERY + 108;
export const Q_BYTES: usize = QUERY + 144;
export const Q_SHIFT: usize = QUERY + 148;
export const Q_MOST: usize = QUERY + 152;
export const Q_COMPARED: usize = QUERY + 156;
export const QUERY_BYTES: u32 = 160;
/** Used instead of the number of an interval. */
export const ANY: u32 = 0xffffffff;

export const NO_FILTER: u32 = 0xffffffff;
export const INTERVALS: u32 = 3;

/**
 * Bytes of a result: only the ordinal, near a point (f64 square of the chord, u32 ord), and in a box (u32 ord, u32 -,
 * f64 lat, f64 lng).
 */
export const ORD: u32 = 4;
export const NEAR: u32 = 16;
export const INSIDE: u32 = 24;
/** Offset of the ordinal, or of the number of documents of a cell, in a result of NEAR bytes. */
export const NEAR_ORD: usize = 8;

export function found(): u32 {
  return load<u32>(Q_FOUND);
}

/** Whether the query may find a document. */
export function isWanted(ord: u32): bool {
  const words = load<u32>(Q_FILTER_WORDS);
  if (words === NO_FILTER) return true;
  return ord >> 5 < words && ((load<u32>(buffer(B_FILTER) + (<usize>(ord >> 5) << 2)) >> (ord & 31)) & 1) !== 0;
}

/** The address for one more result. */
export function nextFound(): usize {
  const count = found();
  const bytes = load<u32>(Q_BYTES);
  store<u32>(Q_FOUND, count + 1);
  return extend(B_FOUND, (count + 1) * bytes, count * bytes) + count * bytes;
}

export function inLatitudes(lat: f64): bool {
  return lat >= load<f64>(Q_LAT) && lat <= load<f64>(Q_LAT, 8);
}

export function inLongitudes(lng: f64): bool {
  for (let i: u32 = 0; i < INTERVALS; i++) if (isInInterval(i, lng)) return true;
  return false;
}

/**
 * Whether a place is in the range of geohashes and in the interval being searched, but in none that was searched
 * before: cells may overlap.
 */
export function isTurn(lat: f64, lng: f64, low: u64, high: u64): bool {
  const key = keyOf(lat, lng);
  if (key < low || key > high) return false;
  const turn = load<u32>(Q_INTERVAL);
  if (turn === ANY) return true;
  for (let i: u32 = 0; i < turn; i++) if (isInInterval(i, lng)) return false;
  return isInInterval(turn, lng);
}

function isInInterval(i: u32, lng: f64): bool {
  const interval = Q_LNG + (<usize>i << 4);
  return lng >= load<f64>(interval) && lng <= load<f64>(interval, 8);
}

/** Whether a box of places intersects the query's box. All longitudes meet at a pole. */
export function meets(latLow: f64, latHigh: f64, lngLow: f64, lngHigh: f64): bool {
  if (latLow > load<f64>(Q_LAT, 8) || latHigh < load<f64>(Q_LAT)) return false;
  if (latLow <= -90 || latHigh >= 90) return true;
  for (let i: u32 = 0; i < INTERVALS; i++) {
    const interval = Q_LNG + (<usize>i << 4);
    if (lngLow <= load<f64>(interval, 8) && lngHigh >= load<f64>(interval)) return true;
  }
  return false;
}
