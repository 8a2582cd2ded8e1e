// The documents in a box of latitudes and longitudes.

import { H_ROOT, B_LAT, B_LNG, B_MAX, L_LAT, L_LNG, L_ORDS } from './layout.ts';
import { B_FOUND, buffer } from './buffers.ts';
import { boxAt, childAt, countOf, levelOf } from './nodes.ts';
import { found, inLatitudes, inLongitudes, INSIDE, isTurn, isWanted, meets, nextFound } from './query.ts';

/** Finds documents by boxes. Returns their number. */
export function withinByBoxes(): u32 {
  const root = <usize>load<u32>(H_ROOT);
  if (root !== 0) visit(root);
  return found();
}

function visit(node: usize): void {
  if (levelOf(node) === 0) return scanWithin(node, 0, u64.MAX_VALUE);
  const count = countOf(node);
  for (let i: u32 = 0; i < count; i++) {
    const box = boxAt(node, i);
    if (meets(load<f64>(box, B_LAT), load<f64>(box, B_LAT + B_MAX), load<f64>(box, B_LNG), load<f64>(box, B_LNG + B_MAX))) visit(childAt(node, i));
  }
}

/** Compares the points of a leaf whose geohashes are in a range. */
export function scanWithin(leaf: usize, low: u64, high: u64): void {
  const count = countOf(leaf);
  for (let i: u32 = 0; i < count; i++) {
    const at = leaf + (<usize>i << 3);
    const lat = load<f64>(at, L_LAT);
    if (!inLatitudes(lat)) continue;
    const lng = load<f64>(at, L_LNG);
    if (!inLongitudes(lng) && Math.abs(lat) !== 90) continue;
    const ord = load<u32>(leaf + (<usize>i << 2), L_ORDS);
    if (!isWanted(ord)) continue;
    if (high !== u64.MAX_VALUE && !isTurn(lat, lng, low, high)) continue;
    const entry = nextFound(INSIDE);
    store<u64>(entry, ord);
    store<f64>(entry, lat, 8);
    store<f64>(entry, lng, 16);
  }
}

/** Keeps only the ordinals of the results in a box, u32 each in B_FOUND. */
export function keepOrds(): u32 {
  const count = found();
  const at = buffer(B_FOUND);
  for (let i: u32 = 0; i < count; i++) store<u32>(at + (<usize>i << 2), load<u32>(at + i * INSIDE));
  return count;
}
