// k-means (Lloyd's rounds) with the seeding of k-means++ (Arthur and Vassilvitskii, 2007). Points and centroids are
// rows of f32, padded with zeros to 16 bytes. Each round is a separate call, so that a thread that trains can
// do other things between them. Random numbers are hashes of a seed and a counter: equal input, equal result.

import { l2sq } from '../vector/distance.ts';
import { allocate, release } from '../vector/memory.ts';
import { multiply, packedBytes, packedColumns, packTransposed } from './matrix.ts';
import { nearestColumn, writeBiases } from './nearest.ts';

/** Points that are assigned at a time. */
const BATCH: u32 = 64;
/** Points per centroid that seeding uses. */
const SEED_POINTS: u32 = 8;

/** Bytes of a row of `dims` numbers. */
export function rowBytes(dims: u32): u32 {
  return (dims * 4 + 15) & ~15;
}

/** A number in [0, 1), of 32 bits. */
export function randomAt(seed: u32, counter: u32): f64 {
  return <f64>mix(mix(seed) ^ counter) / 4294967296;
}

/** The finaliser of MurmurHash3. */
function mix(bits: u32): u32 {
  let x = bits + 0x9e3779b9;
  x = (x ^ (x >> 16)) * 0x85ebca6b;
  x = (x ^ (x >> 13)) * 0xc2b2ae35;
  return x ^ (x >> 16);
}

/** Number of points that seeding uses: if there are many, one of each few, at random. */
export function seedPoints(n: u32, k: u32): u32 {
  return n / seedStep(n, k);
}

function seedStep(n: u32, k: u32): u32 {
  return max(1, n / (k * SEED_POINTS));
}

function seedPoint(i: u32, step: u32): u32 {
  return i * step + mix(i) % step;
}

/**
 * Chooses the centroids from `first` to `end`, of `k` in all, among `n` points, each with a probability proportional to
 * the square of its distance from the nearest centroid chosen before. `distances` keeps `seedPoints` f32 from the first
 * call to the last.
 */
export function seedCentroids(points: usize, n: u32, dims: u32, k: u32, centroids: usize, distances: usize, first: u32,
  end: u32, seed: u32): void
{
  const stride = rowBytes(dims);
  const step = seedStep(n, k);
  const count = n / step;
  for (let c = first; c < end; c++) {
    const centroid = centroids + <usize>c * stride;
    let sum: f64 = 0;
    for (let i: u32 = 0; i < count; i++) {
      const at = distances + (<usize>i << 2);
      if (c > 0)
        store<f32>(at,
          min(c === 1 ? <f32>Infinity : load<f32>(at),
            l2sq(points + <usize>seedPoint(i, step) * stride, centroid - stride, stride)));
      sum += c === 0 ? 0 : load<f32>(at);
    }
    const chosen = pick(distances, count, sum, randomAt(seed, c));
    memory.copy(centroid, points + <usize>seedPoint(chosen, step) * stride, stride);
  }
}

/** The point at which the running sum of distances reaches a share of the total; if all distances are 0, any point. */
function pick(distances: usize, count: u32, sum: f64, share: f64): u32 {
  if (!(sum > 0)) return <u32>(share * <f64>count);
  let left = sum * share;
  for (let i: u32 = 0; i < count; i++) {
    const distance = load<f32>(distances + (<usize>i << 2));
    left -= distance;
    if (left < 0 && distance > 0) return i;
  }
  return count - 1;
}

/**
 * Assigns points to centroids. A point's squared distance is written to `distances`, f32 each, unless that is 0.
 * Points may be parts of longer rows. Returns the sum of the distances, or -1 if there is no memory.
 */
export function assign(points: usize, n: u32, stride: u32, dims: u32, k: u32, centroids: usize, assigned: usize,
  distances: usize): f64
{
  const columns = packedColumns(k);
  const bytes = packedBytes(dims, k) + columns * 4 * (BATCH + 1);
  const packed = allocate(bytes);
  if (packed === 0) return -1;
  const biases = packed + packedBytes(dims, k);
  const products = biases + (<usize>columns << 2);
  packTransposed(centroids, k, dims, rowBytes(dims), packed);
  writeBiases(centroids, k, dims, rowBytes(dims), biases);
  let sum: f64 = 0;
  for (let first: u32 = 0; first < n; first += BATCH) {
    const count = min(BATCH, n - first);
    multiply(points + <usize>first * stride, count, stride, packed, dims, k, products, columns << 2);
    for (let i: u32 = 0; i < count; i++) {
      const column = nearestColumn(products + (<usize>(i * columns) << 2), biases, columns);
      const distance = squaredDistance(points + <usize>(first + i) * stride, centroids + <usize>column * rowBytes(dims),
        dims);
      store<u32>(assigned + (<usize>(first + i) << 2), column);
      if (distances !== 0) store<f32>(distances + (<usize>(first + i) << 2), distance);
      sum += distance;
    }
  }
  release(packed, bytes);
  return sum;
}

/** Like l2sq, but other numbers may follow the first vector. */
function squaredDistance(a: usize, b: usize, dims: u32): f32 {
  const whole = dims & ~3;
  let sum = l2sq(a, b, <usize>whole << 2);
  for (let i = <usize>whole << 2; i < <usize>dims << 2; i += 4) {
    const d = load<f32>(a + i) - load<f32>(b + i);
    sum += d * d;
  }
  return sum;
}

/**
 * Moves each centroid to the mean of its points; a centroid without points moves to the point that is farthest from its
 * own centroid. Returns 0 if there is no memory.
 */
export function moveCentroids(points: usize, n: u32, dims: u32, k: u32, centroids: usize, assigned: usize,
  distances: usize): u32
{
  const stride = rowBytes(dims);
  const counts = allocate(k << 2);
  if (counts === 0) return 0;
  memory.fill(counts, 0, k << 2);
  for (let i: u32 = 0; i < n; i++) {
    const count = counts + (<usize>load<u32>(assigned + (<usize>i << 2)) << 2);
    store<u32>(count, load<u32>(count) + 1);
  }
  for (let c: u32 = 0; c < k; c++) {
    if (load<u32>(counts + (<usize>c << 2)) > 0) memory.fill(centroids + <usize>c * stride, 0, stride);
  }
  for (let i: u32 = 0; i < n; i++)
    addTo(centroids + <usize>load<u32>(assigned + (<usize>i << 2)) * stride, points + <usize>i * stride, stride);
  for (let c: u32 = 0; c < k; c++) {
    const count = load<u32>(counts + (<usize>c << 2));
    if (count > 0) scale(centroids + <usize>c * stride, stride, 1 / <f32>count);
    else moveToFarthest(points, n, stride, centroids + <usize>c * stride, distances);
  }
  release(counts, k << 2);
  return 1;
}

function addTo(sum: usize, point: usize, bytes: u32): void {
  for (let i: usize = 0; i < bytes; i += 16) v128.store(sum + i, f32x4.add(v128.load(sum + i), v128.load(point + i)));
}

export function scale(at: usize, bytes: u32, factor: f32): void {
  const factors = f32x4.splat(factor);
  for (let i: usize = 0; i < bytes; i += 16) v128.store(at + i, f32x4.mul(v128.load(at + i), factors));
}

/** The point is its own centroid then, so it is not chosen twice. */
function moveToFarthest(points: usize, n: u32, stride: u32, centroid: usize, distances: usize): void {
  let farthest: u32 = 0;
  for (let i: u32 = 1; i < n; i++) {
    if (load<f32>(distances + (<usize>i << 2)) > load<f32>(distances + (<usize>farthest << 2))) farthest = i;
  }
  if (load<f32>(distances + (<usize>farthest << 2)) <= 0) return;
  memory.copy(centroid, points + <usize>farthest * stride, stride);
  store<f32>(distances + (<usize>farthest << 2), 0);
}
