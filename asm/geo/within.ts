// The documents in a box of latitudes and longitudes.

import { noteChild } from './frames.ts';
import { B_LAT, B_LNG, B_MAX, L_LAT, L_LNG, L_ORDS } from './layout.ts';
import { boxAt, childAt, countOf } from './nodes.ts';
import { inLatitudes, inLongitudes, INSIDE, isTurn, isWanted, meets, nextFound, Q_BYTES } from './query.ts';

/** Notes the children of a node whose boxes intersect that of the query. */
export function noteMeeting(node: usize): void {
  const count = countOf(node);
  for (let i: u32 = 0; i < count; i++) {
    const box = boxAt(node, i);
    if (meets(load<f64>(box, B_LAT), load<f64>(box, B_LAT + B_MAX), load<f64>(box, B_LNG),
      load<f64>(box, B_LNG + B_MAX))) noteChild(childAt(node, i));
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
    const entry = nextFound();
    store<u32>(entry, ord);
    if (load<u32>(Q_BYTES) !== INSIDE) continue;
    store<u32>(entry, 0, 4);
    store<f64>(entry, lat, 8);
    store<f64>(entry, lng, 16);
  }
}
