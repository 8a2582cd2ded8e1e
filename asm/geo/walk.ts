// A search through the tree in steps: the host calls `advance` until it returns false. Between two steps it may park
// the query, and make others; the tree must not change meanwhile.

import { allocate, release } from '../columns/memory.ts';
import { B_ORDER, BUFFERS, drop, reserve } from './buffers.ts';
import { countLeaf, keepBest, noteAll } from './cells.ts';
import { ENTRY, F_COUNT, F_GREATEST, F_VISITED, frameAt, noteRange, ORDER_BYTES, rangeAt, W_BEGUN, W_BY_HASHES, W_KIND,
  W_LEVEL, W_RANGES, W_STEPS, W_TOP } from './frames.ts';
import { noteOverlapping, noteRanges } from './hashes.ts';
import { H_BUFFERS, H_ROOT, INNER_ROOM, PART_BUFFERS, QUERY } from './layout.ts';
import { noteNear, scanNear } from './near.ts';
import { countOf, levelOf } from './nodes.ts';
import { ANY, found, INSIDE, NEAR, ORD, Q_BYTES, Q_CHORD, Q_INTERVAL, QUERY_BYTES } from './query.ts';
import { sortFound } from './sorting.ts';
import { noteMeeting, scanWithin } from './within.ts';

/**
 * Finds what is near, in no order; the nearest, in order; what is in a box; the same with its places; how many are in
 * each cell.
 */
export const WALK_CIRCLE: u32 = 0;
export const WALK_NEAREST: u32 = 1;
export const WALK_BOX: u32 = 2;
export const WALK_PLACES: u32 = 3;
export const WALK_CELLS: u32 = 4;

/** Begins a search of a kind (WALK_*) for the query, whose box must be set for a box and for a search by geohashes. */
export function openWalk(kind: u32, byHashes: bool): void {
  reserve(B_ORDER, ORDER_BYTES);
  store<u32>(W_KIND, kind);
  store<u32>(W_BY_HASHES, byHashes);
  store<u32>(W_RANGES, 0);
  store<u32>(W_BEGUN, 0);
  // Above the root: the first step begins a range.
  store<u32>(W_LEVEL, 1);
  store<u32>(W_TOP, 0);
  store<u32>(Q_BYTES, kind === WALK_PLACES ? INSIDE : kind === WALK_NEAREST || kind === WALK_CELLS ? NEAR : ORD);
  if (load<u32>(H_ROOT) === 0) return;
  if (byHashes) noteRanges();
  else noteRange(0, u64.MAX_VALUE, ANY);
}

/** Goes on for about `budget` points. Returns whether there is more to do. */
export function advance(budget: u32): bool {
  const kind = load<u32>(W_KIND);
  let steps: u32 = 0;
  while (steps < budget) {
    const level = load<u32>(W_LEVEL);
    if (level > load<u32>(W_TOP)) {
      if (load<u32>(W_BEGUN) === load<u32>(W_RANGES)) return finish(kind, steps, budget);
      steps += beginRange(kind);
      continue;
    }
    steps += visitNext(kind, level);
  }
  store<u32>(W_STEPS, steps);
  return true;
}

/** Number of points, nodes and cells that the last step looked at. */
export function stepsTaken(): u32 {
  return load<u32>(W_STEPS);
}

/** Keeps a query for `resume`, so that others can be made. Returns its address. */
export function park(): usize {
  const kept = allocate(QUERY_BYTES + (BUFFERS << 3), PART_BUFFERS);
  memory.copy(kept, QUERY, QUERY_BYTES);
  memory.copy(kept + QUERY_BYTES, H_BUFFERS, BUFFERS << 3);
  memory.fill(H_BUFFERS, 0, BUFFERS << 3);
  return kept;
}

/** Makes a parked query the present one again. */
export function resume(kept: usize): void {
  for (let number: u32 = 0; number < BUFFERS; number++) drop(number);
  memory.copy(QUERY, kept, QUERY_BYTES);
  memory.copy(H_BUFFERS, kept + QUERY_BYTES, BUFFERS << 3);
  release(kept, QUERY_BYTES + (BUFFERS << 3), PART_BUFFERS);
}

function beginRange(kind: u32): u32 {
  const begun = load<u32>(W_BEGUN);
  store<u32>(W_BEGUN, begun + 1);
  const root = <usize>load<u32>(H_ROOT);
  store<u32>(W_TOP, levelOf(root));
  store<u32>(Q_INTERVAL, load<u32>(rangeAt(begun), 16));
  // Where the root is a leaf, it is all there is to visit.
  store<u32>(W_LEVEL, 1);
  return enter(kind, root, 0, u64.MAX_VALUE);
}

function visitNext(kind: u32, level: u32): u32 {
  const frame = frameAt(level);
  const next = load<u32>(frame, F_VISITED);
  const count = load<u32>(frame, F_COUNT);
  const entry = frame + next * ENTRY;
  const isBeyond = next < count && kind <= WALK_NEAREST && load<u32>(W_BY_HASHES) === 0 &&
    load<f64>(entry) > load<f64>(Q_CHORD);
  if (next === count || isBeyond) {
    store<u32>(W_LEVEL, level + 1);
    return 0;
  }
  store<u32>(frame, next + 1, F_VISITED);
  const greatest = next + 1 < count ? load<u64>(entry + ENTRY) : load<u64>(frame, F_GREATEST);
  return enter(kind, load<u32>(entry, 8), load<u64>(entry), greatest);
}

/** Looks at a leaf, or notes the children of another node. Returns about how many points and boxes that are. */
function enter(kind: u32, node: usize, least: u64, greatest: u64): u32 {
  const level = levelOf(node);
  const range = rangeAt(load<u32>(W_BEGUN) - 1);
  if (level === 0) {
    if (kind <= WALK_NEAREST) scanNear(node, load<u64>(range), load<u64>(range, 8));
    else if (kind === WALK_CELLS) countLeaf(node, least, greatest);
    else scanWithin(node, load<u64>(range), load<u64>(range, 8));
    return countOf(node);
  }
  store<u32>(W_LEVEL, level);
  const frame = frameAt(level);
  store<u64>(frame, 0, F_COUNT);
  store<u64>(frame, greatest, F_GREATEST);
  if (kind === WALK_CELLS) noteAll(node, least);
  else if (load<u32>(W_BY_HASHES) !== 0) noteOverlapping(node, load<u64>(range), load<u64>(range, 8));
  else if (kind <= WALK_NEAREST) noteNear(node);
  else noteMeeting(node);
  return INNER_ROOM;
}

/** What is left to do when the tree was walked through. */
function finish(kind: u32, steps: u32, budget: u32): bool {
  let isMore = false;
  if (kind === WALK_CELLS) {
    isMore = keepBest(budget - steps);
    steps = budget;
  } else if (kind === WALK_NEAREST) {
    sortFound();
    steps += found();
  }
  store<u32>(W_STEPS, steps);
  return isMore;
}
