// Operations of training on matrices of points, which are in a separate memory.

import { allocate, release } from '../vector/memory.ts';
import { rowBytes, scale } from './kmeans.ts';
import { multiply, packedBytes, packedColumns, packMatrix } from './matrix.ts';
import { squareStride } from './rotation.ts';

/** Scales rows to length 1; zero rows stay. */
export function normalizeRows(points: usize, n: u32, dims: u32): void {
  const stride = rowBytes(dims);
  for (let i: u32 = 0; i < n; i++) {
    const at = points + <usize>i * stride;
    let sum: f64 = 0;
    for (let d: usize = 0; d < <usize>dims << 2; d += 4) sum += <f64>load<f32>(at + d) * <f64>load<f32>(at + d);
    if (sum > 0) scale(at, stride, <f32>(1 / sqrt(sum)));
  }
}

/** Copies columns of a matrix of padded rows to a separate matrix, or back. */
export function takeColumns(from: usize, n: u32, dims: u32, first: u32, width: u32, to: usize): void {
  memory.fill(to, 0, <usize>n * rowBytes(width));
  for (let i: u32 = 0; i < n; i++)
    memory.copy(to + <usize>i * rowBytes(width), from + <usize>i * rowBytes(dims) + (<usize>first << 2), width << 2);
}

/** Writes the centroid to which each point is assigned into columns of a matrix of padded rows. */
export function putCentroids(centroids: usize, assigned: usize, n: u32, dims: u32, first: u32, width: u32,
  to: usize): void
{
  for (let i: u32 = 0; i < n; i++) {
    const centroid = centroids + <usize>load<u32>(assigned + (<usize>i << 2)) * rowBytes(width);
    memory.copy(to + <usize>i * rowBytes(dims) + (<usize>first << 2), centroid, width << 2);
  }
}

/** Makes a square matrix the identity. */
export function makeIdentity(a: usize, dims: u32): void {
  memory.fill(a, 0, <usize>squareStride(dims) * dims);
  for (let d: usize = 0; d < dims; d++) store<f32>(a + d * squareStride(dims) + (d << 2), 1);
}

/** a = a b for square matrices. Returns 0 if there is no memory. */
export function multiplySquare(a: usize, b: usize, dims: u32): u32 {
  return multiplyRows(a, dims, squareStride(dims), b, dims, a, squareStride(dims));
}

/** Rotates padded rows of `dims`: to = points * rotation; `to` may be `points`. Returns 0 if there is no memory. */
export function rotateRows(points: usize, n: u32, dims: u32, rotation: usize, to: usize): u32 {
  return multiplyRows(points, n, rowBytes(dims), rotation, dims, to, rowBytes(dims));
}

function multiplyRows(points: usize, n: u32, stride: u32, square: usize, dims: u32, to: usize, toStride: u32): u32 {
  const batch: u32 = 64;
  const wide = packedColumns(dims) << 2;
  const bytes = packedBytes(dims, dims) + batch * wide;
  const packed = allocate(bytes);
  if (packed === 0) return 0;
  const product = packed + packedBytes(dims, dims);
  packMatrix(square, dims, dims, squareStride(dims), packed);
  for (let first: u32 = 0; first < n; first += batch) {
    const count = min(batch, n - first);
    multiply(points + <usize>first * stride, count, stride, packed, dims, dims, product, wide);
    for (let i: u32 = 0; i < count; i++)
      memory.copy(to + <usize>(first + i) * toStride, product + <usize>(i * wide), min(toStride, wide));
  }
  release(packed, bytes);
  return 1;
}
