// The same queries by ranges of geohashes: a few cells cover the area of the query, and each is a range of the tree's
// order.

import { noteChild, noteRange } from './frames.ts';
import { keySpan, latCell, leastKey, lngCell } from './keys.ts';
import { childAt, countOf, keyAt } from './nodes.ts';
import { ANY, INTERVALS, Q_LAT, Q_LNG } from './query.ts';

const AXIS_BITS: u32 = 30;
/**
 * Bits per axis of the smallest cells (8 digits). Cells have equally many bits of both axes, so they need not be whole
 * digits of a geohash.
 */
const INDEX_BITS: u32 = 20;
export const MOST_CELLS: u64 = 16;

/**
 * Notes the ranges of geohashes that cover the box of the query, at most `MOST_CELLS` for each interval of longitudes.
 */
export function noteRanges(): void {
  const south = latCell(max(load<f64>(Q_LAT), -90.0));
  const north = latCell(min(load<f64>(Q_LAT, 8), 90.0));
  // All longitudes meet at a pole.
  if (load<f64>(Q_LAT) <= -90 || load<f64>(Q_LAT, 8) >= 90) return coverCells(0, lngCell(180.0), south, north, ANY);
  for (let i: u32 = 0; i < INTERVALS; i++) {
    const interval = Q_LNG + (<usize>i << 4);
    const west = load<f64>(interval);
    const east = load<f64>(interval, 8);
    if (west <= east) coverCells(lngCell(max(west, -180.0)), lngCell(min(east, 180.0)), south, north, i);
  }
}

/** Covers a box with the smallest cells of which at most `MOST_CELLS` are needed. */
function coverCells(west: u64, east: u64, south: u64, north: u64, interval: u32): void {
  let bits = INDEX_BITS;
  let shift = <u64>(AXIS_BITS - bits);
  while (((east >> shift) - (west >> shift) + 1) * ((north >> shift) - (south >> shift) + 1) > MOST_CELLS) {
    bits--;
    shift++;
  }
  for (let y = south >> shift; y <= north >> shift; y++) {
    for (let x = west >> shift; x <= east >> shift; x++) {
      const low = leastKey(x, y, bits);
      noteRange(low, low + keySpan(bits), interval);
    }
  }
}

/** Notes the children of a node that have geohashes of a range. */
export function noteOverlapping(node: usize, low: u64, high: u64): void {
  const count = countOf(node);
  for (let i: u32 = 0; i < count; i++) {
    if (i > 0 && keyAt(node, i) > high) return;
    if (i + 1 < count && keyAt(node, i + 1) < low) continue;
    noteChild(childAt(node, i));
  }
}
