// Geohashes of 12 digits (Niemeyer, 2008) as numbers of 60 bits: bits of the longitude and of the latitude alternate,
// the longitude first.

export const KEY_BITS: u32 = 60;
const AXIS_BITS: u32 = 30;
const LAST: i64 = (1 << 30) - 1;
const CELLS: f64 = 1073741824.0;
/** Masks of the lower half of each pair, four, eight, 16 and 32 bits. */
const HALF_OF_2: u64 = ~(<u64>0) / 3;
const HALF_OF_4: u64 = ~(<u64>0) / 5;
const HALF_OF_8: u64 = ~(<u64>0) / 17;
const HALF_OF_16: u64 = ~(<u64>0) / 257;
const HALF_OF_32: u64 = ~(<u64>0) / 65537;

/** The cell of a place. */
export function keyOf(lat: f64, lng: f64): u64 {
  return keyOfCell(lngCell(lng), latCell(lat));
}

export function keyOfCell(x: u64, y: u64): u64 {
  return (spread(x) << 1) | spread(y);
}

/** Column of a longitude among 2^30, the same as by repeatedly halving the interval. */
export function lngCell(lng: f64): u64 {
  return cellOf(lng, -180.0, 360.0);
}

/** Row of a latitude among 2^30. */
export function latCell(lat: f64): u64 {
  return cellOf(lat, -90.0, 180.0);
}

/** The borders of cells are exact numbers, so comparing with them corrects rounding errors of the quotient. */
function cellOf(degrees: f64, low: f64, width: f64): u64 {
  let cell = <i64>Math.floor((degrees - low) / width * CELLS);
  if (low + <f64>cell * (width / CELLS) > degrees) cell--;
  else if (low + <f64>(cell + 1) * (width / CELLS) <= degrees) cell++;
  return <u64>min(max(cell, 0), LAST);
}

/** Puts a zero before each of 30 bits (Warren, Hacker's Delight, section 7-2). */
function spread(bits: u64): u64 {
  let x = bits & 0x3fffffff;
  x = (x | (x << 16)) & HALF_OF_32;
  x = (x | (x << 8)) & HALF_OF_16;
  x = (x | (x << 4)) & HALF_OF_8;
  x = (x | (x << 2)) & HALF_OF_4;
  return (x | (x << 1)) & HALF_OF_2;
}

/** The least geohash of the cell with these coordinates at a depth of `bits` for each axis. */
export function leastKey(x: u64, y: u64, bits: u32): u64 {
  return keyOfCell(x << (AXIS_BITS - bits), y << (AXIS_BITS - bits));
}

/** Number of geohashes in such a cell, minus one. */
export function keySpan(bits: u32): u64 {
  return (<u64>1 << (2 * (AXIS_BITS - bits))) - 1;
}
