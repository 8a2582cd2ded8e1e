// The places of a collection's documents: near a point, in a box, in a shape, by cells. One memory holds one
// collection; `geo/layout.ts` draws the layout of its bytes.

import { H_TOP } from './columns/layout.ts';
import { B_FOUND, B_INPUT, buffer, extend } from './geo/buffers.ts';
import { placeIn, putPoint } from './geo/insert.ts';
import { keyOf } from './geo/keys.ts';
import { H_ORD_END, H_POINTS, H_ROOT, HEAP, L_LAT, L_LNG, L_ORDS, LEAF_ROOM } from './geo/layout.ts';
import { childAt, countOf, levelOf } from './geo/nodes.ts';
import { leafOf, openPlaces } from './geo/places.ts';
import { INSIDE, Q_CHORD, Q_FOUND, Q_LIMIT, Q_X, Q_Y, Q_Z } from './geo/query.ts';

// (The compiler finds re-exported files only without their extension.)
export { bufferBytes, drop, reserve } from './geo/buffers';
export { openCells } from './geo/cells';
export { removePoint } from './geo/remove';
export { closeShape, countEdges, listEdges, measureShape, openBands, openShape, passed, passedOrds, shapeEdges,
  testCandidates } from './geo/shape';
export { advance, openWalk, park, resume, stepsTaken } from './geo/walk';

const RADIANS: f64 = Math.PI / 180;

/** Makes an empty tree in a memory that is all zero. */
export function initialize(): void {
  assert(__heap_base <= 0x8000, 'static data reaches into the header');
  store<u32>(H_TOP, <u32>HEAP);
  openPlaces();
}

export function points(): u32 {
  return load<u32>(H_POINTS);
}

/** Ordinals are below it. */
export function ordinalEnd(): u32 {
  return load<u32>(H_ORD_END);
}

export function put(ord: u32, lat: f64, lng: f64): bool {
  return putPoint(ord, lat, lng);
}

/** Stores `count` points from B_INPUT: (u32 ord, u32 -, f64 lat, f64 lng) each. */
export function putMany(count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    const entry = buffer(B_INPUT) + i * INSIDE;
    putPoint(load<u32>(entry), load<f64>(entry, 8), load<f64>(entry, 16));
  }
}

/** Latitude of a document; NaN if it has no place. */
export function latitudeOf(ord: u32): f64 {
  const leaf = leafOf(ord);
  return leaf === 0 ? NaN : load<f64>(leaf + (<usize>placeIn(leaf, ord) << 3), L_LAT);
}

export function longitudeOf(ord: u32): f64 {
  const leaf = leafOf(ord);
  return leaf === 0 ? NaN : load<f64>(leaf + (<usize>placeIn(leaf, ord) << 3), L_LNG);
}

/** Geohash of 60 bits. */
export function geohashOf(lat: f64, lng: f64): u64 {
  return keyOf(lat, lng);
}

/** Begins a query: `chord` is the greatest squared chord to its middle, `limit` the number of results, 0 for all. */
export function openQuery(lat: f64, lng: f64, chord: f64, limit: u32): void {
  const across = Math.cos(lat * RADIANS);
  store<f64>(Q_X, across * Math.cos(lng * RADIANS));
  store<f64>(Q_Y, across * Math.sin(lng * RADIANS));
  store<f64>(Q_Z, Math.sin(lat * RADIANS));
  store<f64>(Q_CHORD, chord);
  store<u32>(Q_LIMIT, limit);
  store<u32>(Q_FOUND, 0);
}

/**
 * Lists the points of `leaves` leaves, after `skipped` others in geohash order, in B_FOUND, as in B_INPUT. Returns the
 * number of points.
 */
export function listPoints(skipped: u32, leaves: u32): u32 {
  extend(B_FOUND, leaves * LEAF_ROOM * INSIDE, 0);
  store<u32>(Q_FOUND, 0);
  if (load<u32>(H_ROOT) !== 0) listNode(load<u32>(H_ROOT), skipped, skipped + leaves, 0);
  return load<u32>(Q_FOUND);
}

/** `passed` is the number of leaves before the node; returns that number for the next node. */
function listNode(node: usize, from: u32, to: u32, passed: u32): u32 {
  const count = countOf(node);
  const level = levelOf(node);
  if (level === 1 && passed + count <= from) return passed + count;
  if (level > 0) {
    for (let i: u32 = 0; i < count && passed < to; i++) passed = listNode(childAt(node, i), from, to, passed);
    return passed;
  }
  if (passed >= from) listLeaf(node, count);
  return passed + 1;
}

function listLeaf(leaf: usize, count: u32): void {
  let entry = buffer(B_FOUND) + load<u32>(Q_FOUND) * INSIDE;
  for (let i: u32 = 0; i < count; i++) {
    store<u64>(entry, load<u32>(leaf + (<usize>i << 2), L_ORDS));
    store<f64>(entry, load<f64>(leaf + (<usize>i << 3), L_LAT), 8);
    store<f64>(entry, load<f64>(leaf + (<usize>i << 3), L_LNG), 16);
    entry += INSIDE;
  }
  store<u32>(Q_FOUND, load<u32>(Q_FOUND) + count);
}
