// The same queries by ranges of geohashes: a few cells cover the area of the query, and each is a range of the tree's order.

import { H_ROOT } from './layout.ts';
import { keySpan, latCell, leastKey, lngCell } from './keys.ts';
import { scanNear } from './near.ts';
import { childAt, countOf, keyAt, levelOf } from './nodes.ts';
import { ANY, found, INTERVALS, Q_INTERVAL, Q_LAT, Q_LNG } from './query.ts';
import { sortFound } from './sorting.ts';
import { scanWithin } from './within.ts';

const AXIS_BITS: u32 = 30;
/** Bits per axis of the smallest cells (8 digits). Cells have equally many bits of both axes, so they need not be whole digits of a geohash. */
const INDEX_BITS: u32 = 20;
const MOST_CELLS: u64 = 16;

/** Finds documents near the point, in the box of the query, sorted or not. Returns their number. */
export function nearByHashes(sorted: bool): u32 {
  cover(true);
  if (sorted) sortFound();
  return found();
}

/** Finds documents in the box. Returns their number. */
export function withinByHashes(): u32 {
  cover(false);
  return found();
}

function cover(near: bool): void {
  const root = <usize>load<u32>(H_ROOT);
  if (root === 0) return;
  const south = latCell(max(load<f64>(Q_LAT), -90.0));
  const north = latCell(min(load<f64>(Q_LAT, 8), 90.0));
  store<u32>(Q_INTERVAL, ANY);
  // All longitudes meet at a pole.
  if (load<f64>(Q_LAT) <= -90 || load<f64>(Q_LAT, 8) >= 90) return coverCells(root, near, 0, lngCell(180.0), south, north);
  for (let i: u32 = 0; i < INTERVALS; i++) {
    const interval = Q_LNG + (<usize>i << 4);
    const west = load<f64>(interval);
    const east = load<f64>(interval, 8);
    store<u32>(Q_INTERVAL, i);
    if (west <= east) coverCells(root, near, lngCell(max(west, -180.0)), lngCell(min(east, 180.0)), south, north);
  }
}

/** Covers a box with the smallest cells of which at most `MOST_CELLS` are needed. */
function coverCells(root: usize, near: bool, west: u64, east: u64, south: u64, north: u64): void {
  let bits = INDEX_BITS;
  let shift = <u64>(AXIS_BITS - bits);
  while (((east >> shift) - (west >> shift) + 1) * ((north >> shift) - (south >> shift) + 1) > MOST_CELLS) {
    bits--;
    shift++;
  }
  for (let y = south >> shift; y <= north >> shift; y++) {
    for (let x = west >> shift; x <= east >> shift; x++) {
      const low = leastKey(x, y, bits);
      visit(root, near, low, low + keySpan(bits));
    }
  }
}

function visit(node: usize, near: bool, low: u64, high: u64): void {
  if (levelOf(node) === 0) {
    if (near) scanNear(node, low, high);
    else scanWithin(node, low, high);
    return;
  }
  const count = countOf(node);
  for (let i: u32 = 0; i < count; i++) {
    if (i > 0 && keyAt(node, i) > high) return;
    if (i + 1 < count && keyAt(node, i + 1) < low) continue;
    visit(childAt(node, i), near, low, high);
  }
}
