// The documents near a point: all within a chord, or the best of them. The chord between two points of the globe grows
// with their distance along it, so the squared chord orders them without trigonometry. Boxes are visited from the
// nearest on (Roussopoulos, Kelley and Vincent, "Nearest neighbor queries", 1995).

import { B_FOUND, buffer } from './buffers.ts';
import { noteChildAt } from './frames.ts';
import { B_MAX, L_LAT, L_LNG, L_ORDS, L_X, L_Y, L_Z } from './layout.ts';
import { boxAt, childAt, countOf } from './nodes.ts';
import { found, isTurn, isWanted, NEAR, NEAR_ORD, nextFound, ORD, Q_BYTES, Q_CHORD, Q_LIMIT, Q_X, Q_Y,
  Q_Z } from './query.ts';

/** Notes the children of a node within reach, the nearest first. */
export function noteNear(node: usize): void {
  const reach = load<f64>(Q_CHORD);
  const count = countOf(node);
  for (let i: u32 = 0; i < count; i++) {
    const distance = distanceTo(boxAt(node, i));
    if (distance <= reach) noteChildAt(childAt(node, i), distance);
  }
}

/** Square of the distance to a box in space; 0 inside it. */
function distanceTo(box: usize): f64 {
  const x = beside(load<f64>(Q_X), box);
  const y = beside(load<f64>(Q_Y), box + 8);
  const z = beside(load<f64>(Q_Z), box + 16);
  return x * x + y * y + z * z;
}

function beside(value: f64, side: usize): f64 {
  return max(max(load<f64>(side) - value, value - load<f64>(side, B_MAX)), 0);
}

/** Compares the points of a leaf whose geohashes are in a range. */
export function scanNear(leaf: usize, low: u64, high: u64): void {
  const count = countOf(leaf);
  const x = f64x2.splat(load<f64>(Q_X));
  const y = f64x2.splat(load<f64>(Q_Y));
  const z = f64x2.splat(load<f64>(Q_Z));
  for (let i: u32 = 0; i < count; i += 2) {
    const at = leaf + (<usize>i << 3);
    const dx = f64x2.sub(v128.load(at, L_X), x);
    const dy = f64x2.sub(v128.load(at, L_Y), y);
    const dz = f64x2.sub(v128.load(at, L_Z), z);
    const squares = f64x2.add(f64x2.add(f64x2.mul(dx, dx), f64x2.mul(dy, dy)), f64x2.mul(dz, dz));
    if (!v128.any_true(f64x2.le(squares, f64x2.splat(load<f64>(Q_CHORD))))) continue;
    consider(leaf, i, f64x2.extract_lane(squares, 0), low, high);
    // The capacity of a leaf is even; values behind its last point are ignored.
    if (i + 1 < count) consider(leaf, i + 1, f64x2.extract_lane(squares, 1), low, high);
  }
}

function consider(leaf: usize, i: u32, square: f64, low: u64, high: u64): void {
  if (!(square <= load<f64>(Q_CHORD))) return;
  const ord = load<u32>(leaf + (<usize>i << 2), L_ORDS);
  if (!isWanted(ord)) return;
  const at = leaf + (<usize>i << 3);
  if (high !== u64.MAX_VALUE && !isTurn(load<f64>(at, L_LAT), load<f64>(at, L_LNG), low, high)) return;
  const limit = load<u32>(Q_LIMIT);
  if (load<u32>(Q_BYTES) === ORD) return store<u32>(nextFound(), ord);
  if (limit === 0) return put(nextFound(), square, ord);
  if (found() < limit) return climb(nextFound(), square, ord, limit);
  const top = buffer(B_FOUND);
  if (isBefore(square, ord, top)) sink(square, ord, limit);
}

function put(entry: usize, square: f64, ord: u32): void {
  store<f64>(entry, square);
  store<u64>(entry, ord, NEAR_ORD);
}

/** Whether a document is nearer than an entry, or equally near with a lower ordinal. */
function isBefore(square: f64, ord: u32, entry: usize): bool {
  const other = load<f64>(entry);
  return square < other || (square === other && ord < load<u32>(entry, NEAR_ORD));
}

/**
 * Adds to the heap of the best, whose root is the worst of them. Once it is full, results that are worse than the root
 * are skipped.
 */
function climb(last: usize, square: f64, ord: u32, limit: u32): void {
  const heap = buffer(B_FOUND);
  let i = <u32>(last - heap) / NEAR;
  while (i > 0) {
    const parent = (i - 1) >> 1;
    const entry = heap + parent * NEAR;
    if (isBefore(square, ord, entry)) break;
    memory.copy(heap + i * NEAR, entry, NEAR);
    i = parent;
  }
  put(heap + i * NEAR, square, ord);
  if (found() === limit) store<f64>(Q_CHORD, load<f64>(heap));
}

/** Replaces the worst one. */
function sink(square: f64, ord: u32, count: u32): void {
  const heap = buffer(B_FOUND);
  let i: u32 = 0;
  for (;;) {
    let child: u32 = 2 * i + 1;
    if (child >= count) break;
    const entry = heap + child * NEAR;
    if (child + 1 < count && isBefore(load<f64>(entry), load<u32>(entry, NEAR_ORD), entry + NEAR)) child++;
    const worse = heap + child * NEAR;
    if (!isBefore(square, ord, worse)) break;
    memory.copy(heap + i * NEAR, worse, NEAR);
    i = child;
  }
  put(heap + i * NEAR, square, ord);
  store<f64>(Q_CHORD, load<f64>(heap));
}
