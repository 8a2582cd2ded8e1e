// The points in a shape: polygons with holes, whose edges are straight in longitude and latitude (RFC 7946, section
// 3.1). A point on an edge is inside. Edges are listed by bands of latitude, so that a point is compared only with the
// edges of its band.
//
// shape: u32 edges u32 bands u32 edge list u32 listed u32 candidates u32 bytes of them u32 passed u32 poles (1 north, 2
// south)
// f64 south f64 bands per degree f64 west f64 east f64 north u32 starts of the bands u32 edges that were tested
//             u32 candidates that were found   u32 that were tested
//             edges x edge
//     edge:   f64 x0   f64 y0   f64 x1   f64 y1   u32 ring   u32 polygon * 2, and 1 for a hole

import { allocate, allocateZeroed, release } from '../columns/memory.ts';
import { B_FOUND } from './buffers.ts';
import { H_BUFFERS, PART_BUFFERS } from './layout.ts';
import { found, INSIDE } from './query.ts';

const S_BANDS: usize = 4;
const S_LIST: usize = 8;
const S_LISTED: usize = 12;
const S_CANDIDATES: usize = 16;
const S_CANDIDATE_BYTES: usize = 20;
const S_PASSED: usize = 24;
const S_POLES: usize = 28;
const S_SOUTH: usize = 32;
const S_SCALE: usize = 40;
const S_WEST: usize = 48;
const S_EAST: usize = 56;
const S_NORTH: usize = 64;
const S_STARTS: usize = 72;
const S_TESTED: usize = 76;
const S_FOUND: usize = 80;
const S_NEXT: usize = 84;
const SHAPE: u32 = 88;
export const EDGE: u32 = 40;
/** Offsets of the ring and the part of an edge. */
export const E_RING: usize = 32;
export const E_PART: usize = 36;

const NORTH: u32 = 1;
const SOUTH: u32 = 2;
const MOST_BANDS: u32 = 4096;
/**
 * Long edges are in many bands: there are fewer bands if the lists would have more entries per edge than this, on
 * average.
 */
const PLACES_EACH: u32 = 8;
/**
 * Rounding error of a cross product, relative to the sum of the absolute values of its two products (Shewchuk, 1997).
 */
const ROUNDING: f64 = 3.3306690738754716e-16;

/**
 * Allocates a shape. The host writes its edges, in the order of polygons and rings, `SHAPE` bytes behind its address.
 */
export function openShape(edges: u32): usize {
  const shape = allocate(SHAPE + edges * EDGE, PART_BUFFERS);
  memory.fill(shape, 0, SHAPE);
  store<u32>(shape, edges);
  return shape;
}

export function shapeEdges(shape: usize): usize {
  return shape + SHAPE;
}

/**
 * Takes over the points that were found in the box around the shape, and chooses the bands: as many as edges, unless
 * the lists became long. Then the host counts the edges of all bands, and lists them.
 */
export function measureShape(shape: usize): void {
  store<u32>(shape, load<u32>(H_BUFFERS + (<usize>B_FOUND << 3)), S_CANDIDATES);
  store<u32>(shape, load<u32>(H_BUFFERS + (<usize>B_FOUND << 3), 4), S_CANDIDATE_BYTES);
  store<u32>(shape, found(), S_FOUND);
  store<u64>(H_BUFFERS + (<usize>B_FOUND << 3), 0);
  const edges = load<u32>(shape);
  const climbed = measureEdges(shape);
  const height = load<f64>(shape, S_NORTH) - load<f64>(shape, S_SOUTH);
  // An edge is in one band more than there are borders of bands that it crosses.
  const most = climbed > 0 ? <f64>((PLACES_EACH - 1) * edges) * height / climbed : 1;
  const bands = <u32>max(1, min(most, <f64>min(edges, MOST_BANDS)));
  store<u32>(shape, bands, S_BANDS);
  store<f64>(shape, height > 0 ? <f64>bands / height : 0, S_SCALE);
  store<u32>(shape, <u32>allocateZeroed((bands + 2) << 2, PART_BUFFERS), S_STARTS);
}

/** Counts the edges from `from` to `to` in their bands; returns in how many they are. */
export function countEdges(shape: usize, from: u32, to: u32): u32 {
  const starts = <usize>load<u32>(shape, S_STARTS);
  let listed: u32 = 0;
  for (let i = from; i < to; i++) {
    const edge = shape + SHAPE + i * EDGE;
    const first = firstBand(shape, edge);
    const end = lastBand(shape, edge);
    for (let band = first; band <= end; band++) addTo(starts + (<usize>(band + 2) << 2), 1);
    listed += end - first + 1;
  }
  store<u32>(shape, load<u32>(shape, S_LISTED) + listed, S_LISTED);
  return listed;
}

/** Makes space for the lists of the bands, when all edges are counted. */
export function openBands(shape: usize): void {
  const starts = <usize>load<u32>(shape, S_STARTS);
  const bands = load<u32>(shape, S_BANDS);
  for (let band: u32 = 2; band < bands + 2; band++)
    addTo(starts + (<usize>band << 2), load<u32>(starts + (<usize>(band - 1) << 2)));
  store<u32>(shape, <u32>allocate(load<u32>(shape, S_LISTED) << 2, PART_BUFFERS), S_LIST);
}

/**
 * Lists the edges from `from` to `to`, in their order: the start of a band advances by one for each edge that is put
 * into its list.
 */
export function listEdges(shape: usize, from: u32, to: u32): void {
  const starts = <usize>load<u32>(shape, S_STARTS);
  const list = <usize>load<u32>(shape, S_LIST);
  for (let i = from; i < to; i++) {
    const edge = shape + SHAPE + i * EDGE;
    for (let band = firstBand(shape, edge), end = lastBand(shape, edge); band <= end; band++) {
      const start = starts + (<usize>(band + 1) << 2);
      store<u32>(list + (<usize>load<u32>(start) << 2), i);
      addTo(start, 1);
    }
  }
}

/** Frees the memory of a shape. */
export function closeShape(shape: usize): void {
  release(load<u32>(shape, S_CANDIDATES), load<u32>(shape, S_CANDIDATE_BYTES), PART_BUFFERS);
  if (load<u32>(shape, S_LIST) !== 0) release(load<u32>(shape, S_LIST), load<u32>(shape, S_LISTED) << 2, PART_BUFFERS);
  if (load<u32>(shape, S_STARTS) !== 0)
    release(load<u32>(shape, S_STARTS), (load<u32>(shape, S_BANDS) + 2) << 2, PART_BUFFERS);
  release(shape, SHAPE + load<u32>(shape) * EDGE, PART_BUFFERS);
}

/**
 * Tests further candidates, until more than `budget` edges were compared with them. Returns that number, and 0 when no
 * candidate is left. A single candidate may be compared with each edge, three times if the shape reaches beyond the
 * 180th meridian.
 */
export function testCandidates(shape: usize, budget: u32): u32 {
  const candidates = <usize>load<u32>(shape, S_CANDIDATES);
  const end = load<u32>(shape, S_FOUND);
  let passed = load<u32>(shape, S_PASSED);
  let i = load<u32>(shape, S_NEXT);
  store<u32>(shape, 0, S_TESTED);
  let tested: u32 = 0;
  for (; i < end && tested < budget; i++) {
    const candidate = candidates + i * INSIDE;
    const isIn = contains(shape, load<f64>(candidate, 16), load<f64>(candidate, 8));
    tested = load<u32>(shape, S_TESTED) + i - load<u32>(shape, S_NEXT) + 1;
    if (!isIn) continue;
    // A candidate is wider than an ordinal, so none is overwritten before it is read.
    store<u32>(candidates + (<usize>passed << 2), load<u32>(candidate));
    passed++;
  }
  store<u32>(shape, passed, S_PASSED);
  store<u32>(shape, i, S_NEXT);
  return tested;
}

/** Address of the u32 ordinals of the candidates that have passed, `passed` of them. */
export function passedOrds(shape: usize): usize {
  return load<u32>(shape, S_CANDIDATES);
}

export function passed(shape: usize): u32 {
  return load<u32>(shape, S_PASSED);
}

/** Whether a place is in the shape, which may reach beyond the 180th meridian on either side. */
export function contains(shape: usize, lng: f64, lat: f64): bool {
  if (lat >= 90) return (load<u32>(shape, S_POLES) & NORTH) !== 0;
  if (lat <= -90) return (load<u32>(shape, S_POLES) & SOUTH) !== 0;
  return containsAt(shape, lng, lat) || containsAt(shape, lng - 360, lat) || containsAt(shape, lng + 360, lat);
}

function containsAt(shape: usize, x: f64, y: f64): bool {
  if (x < load<f64>(shape, S_WEST) || x > load<f64>(shape, S_EAST) || y < load<f64>(shape, S_SOUTH) ||
    y > load<f64>(shape, S_NORTH)) return false;
  const starts = <usize>load<u32>(shape, S_STARTS) + (<usize>bandOf(shape, y) << 2);
  const list = <usize>load<u32>(shape, S_LIST);
  let ring: u32 = 0xffffffff;
  let part: u32 = 0;
  let isOdd: u32 = 0;
  let isIn = false;
  let polygon: u32 = 0xffffffff;
  const end = load<u32>(starts, 4);
  store<u32>(shape, load<u32>(shape, S_TESTED) + end - load<u32>(starts), S_TESTED);
  for (let i = load<u32>(starts); i < end; i++) {
    const edge = shape + SHAPE + load<u32>(list + (<usize>i << 2)) * EDGE;
    if (load<u32>(edge, E_RING) !== ring) {
      // End of a ring: a point inside an outer ring is in, a point inside a hole is out.
      if (isOdd !== 0) isIn = (part & 1) === 0;
      isOdd = 0;
      ring = load<u32>(edge, E_RING);
      part = load<u32>(edge, E_PART);
      if (part >> 1 !== polygon) {
        if (isIn) return true;
        polygon = part >> 1;
      }
    }
    // Without branches where there can be, because which edges are to the east of a point cannot be predicted.
    const x0 = load<f64>(edge);
    const y0 = load<f64>(edge, 8);
    const x1 = load<f64>(edge, 16);
    const y1 = load<f64>(edge, 24);
    const toEast = <u32>(x < x0) & <u32>(x < x1);
    isOdd ^= toEast & (<u32>(y0 > y) ^ <u32>(y1 > y));
    if (toEast | (<u32>(x > x0) & <u32>(x > x1)) | (<u32>(y < y0) & <u32>(y < y1)) | (<u32>(y > y0) & <u32>(y > y1)))
      continue;
    const side = sideOf(x0, y0, x1, y1, x, y);
    if (side === ON) return true;
    isOdd ^= side;
  }
  return isOdd !== 0 ? (part & 1) === 0 : isIn;
}

const BESIDE: u32 = 0;
const CROSSED: u32 = 1;
const ON: u32 = 2;

/** Whether a point in the box around an edge is on it, or a ray from it to the east crosses it. */
function sideOf(x0: f64, y0: f64, x1: f64, y1: f64, x: f64, y: f64): u32 {
  const a = (x1 - x0) * (y - y0);
  const b = (y1 - y0) * (x - x0);
  const cross = a - b;
  if (Math.abs(cross) <= ROUNDING * (Math.abs(a) + Math.abs(b))) return ON;
  if ((y0 > y) === (y1 > y)) return BESIDE;
  return (y1 > y0) === (cross > 0) ? CROSSED : BESIDE;
}

/** Measures the box around the edges, and which poles it reaches. Returns the sum of the heights of the edges. */
function measureEdges(shape: usize): f64 {
  let climbed: f64 = 0;
  let west: f64 = Infinity;
  let east: f64 = -Infinity;
  let south: f64 = Infinity;
  let north: f64 = -Infinity;
  let poles: u32 = 0;
  const edges = load<u32>(shape);
  for (let i: u32 = 0; i < edges; i++) {
    const edge = shape + SHAPE + i * EDGE;
    const y = load<f64>(edge, 8);
    climbed += Math.abs(load<f64>(edge, 24) - y);
    west = min(west, load<f64>(edge));
    east = max(east, load<f64>(edge));
    south = min(south, y);
    north = max(north, y);
    if (load<u32>(edge, E_PART) & 1) continue;
    if (y >= 90) poles |= NORTH;
    if (y <= -90) poles |= SOUTH;
  }
  store<f64>(shape, west, S_WEST);
  store<f64>(shape, east, S_EAST);
  store<f64>(shape, south, S_SOUTH);
  store<f64>(shape, north, S_NORTH);
  store<u32>(shape, poles, S_POLES);
  return climbed;
}

function bandOf(shape: usize, y: f64): u32 {
  const band = <i32>Math.floor((y - load<f64>(shape, S_SOUTH)) * load<f64>(shape, S_SCALE));
  return <u32>min(max(band, 0), <i32>load<u32>(shape, S_BANDS) - 1);
}

function firstBand(shape: usize, edge: usize): u32 {
  return bandOf(shape, min(load<f64>(edge, 8), load<f64>(edge, 24)));
}

function lastBand(shape: usize, edge: usize): u32 {
  return bandOf(shape, max(load<f64>(edge, 8), load<f64>(edge, 24)));
}

function addTo(place: usize, count: u32): void {
  store<u32>(place, load<u32>(place) + count);
}
