// Scores of rows, by their own vectors: the scan of a range, and of candidates that a structure found. While rows
// are compared, the Euclidean metric is the distance's square, negated; `exactScores` gives what callers see.

import { dot, l2sq } from './distance.ts';
import { H_DIMS, H_NORMS, H_STRIDE, H_TYPE } from './memory.ts';
import { blockOf, COSINE, EUCLIDEAN, hasRow, inverseNormOf, ordOf, placeOf, SHORTEST, TYPE_F32, vectorOf } from './rows.ts';
import { wordAt } from './selection.ts';
import { componentOf, dotStored, preparedBytes, preparePlanes } from './stored.ts';
import { offer, scoresOf, takeScores } from './topk.ts';

/**
 * From so many of 64 rows on, all are scored: the processor fetches ahead what is read in order, and rows that are
 * passed over here and there cost more than they save.
 */
const DENSE: u64 = 16;
/** Farther from a candidate, rows of its document are not looked at. */
const REACH: u32 = 32;

/**
 * Offers the rows from `from` to `to`, of a bitmap or, at address 0, all of them. The query is prepared.
 */
export function scan(query: usize, metric: u32, from: u32, to: u32, bitmap: usize, heap: usize): void {
  for (let row = from & ~63; row < to; row += 64) {
    const bits = wordAt(bitmap, row, from, to);
    if (bits === 0) continue;
    scoreRows(query, metric, row, bits, scoresOf(heap));
    takeScores(heap, row, bits);
  }
}

/** Writes the scores of those of 64 rows that have a bit; what it writes for the others means nothing. */
function scoreRows(query: usize, metric: u32, row: u32, bits: u64, out: usize): void {
  const isFloat = load<u32>(H_TYPE) === TYPE_F32;
  if (isFloat && popcnt(bits) >= DENSE) {
    bits = ~(<u64>0); // a block has whole groups of 64 rows, whether or not they were written
  } else {
    for (let i: usize = 0; i < 256; i += 16) v128.store(out + i, f32x4.splat(-Infinity));
  }
  const block = blockOf(row);
  const stride = <usize>load<u32>(H_STRIDE);
  const vectors = block + placeOf(row) * stride;
  const norms = block + load<u32>(H_NORMS) + (placeOf(row) << 2);
  for (; bits !== 0; bits &= bits - 1) {
    const i = <usize>ctz(bits);
    const vector = vectors + i * stride;
    const norm = load<f32>(norms + (i << 2));
    let score: f32;
    if (!isFloat) score = scoreStored(query, metric, vector, norm);
    else if (metric === EUCLIDEAN) score = -l2sq(query, vector, stride);
    else score = metric === COSINE ? dot(query, vector, stride) * norm : dot(query, vector, stride);
    store<f32>(out + (i << 2), score);
  }
}

/** The score of a row. */
export function scoreRow(query: usize, metric: u32, row: u32): f32 {
  const stride = load<u32>(H_STRIDE);
  const vector = vectorOf(row);
  if (load<u32>(H_TYPE) !== TYPE_F32) return scoreStored(query, metric, vector, inverseNormOf(row));
  if (metric === EUCLIDEAN) return -l2sq(query, vector, stride);
  return metric === COSINE ? dot(query, vector, stride) * inverseNormOf(row) : dot(query, vector, stride);
}

function scoreStored(query: usize, metric: u32, vector: usize, norm: f32): f32 {
  const tail = query + <usize>queryBytes(load<u32>(H_DIMS));
  const product = dotStored(tail, vector);
  if (metric === COSINE) return product * norm;
  if (metric !== EUCLIDEAN) return product;
  return <f32>2 * product - (norm === 0 ? 0 : <f32>1 / (norm * norm)) - load<f32>(tail, 4);
}

/** Bytes of a query's components, zeros included. */
export function queryBytes(dims: u32): u32 {
  return ((dims << 2) + 127) & ~127;
}

/** Bytes of a query with what is prepared behind its components. */
export function preparedQueryBytes(dims: u32): u32 {
  return queryBytes(dims) + preparedBytes(dims);
}

/** Makes a query of the components at `query`, in `preparedQueryBytes` that are zero elsewhere. For the cosine its length becomes 1. */
export function prepareQuery(query: usize, metric: u32): void {
  const dims = load<u32>(H_DIMS);
  let total: f64 = 0;
  let squares: f64 = 0;
  for (let i: u32 = 0; i < dims; i++) {
    const value = <f64>load<f32>(query + (<usize>i << 2));
    total += value;
    squares += value * value;
  }
  const scale = metric === COSINE && squares > 0 ? 1 / Math.sqrt(squares) : 1;
  if (scale !== 1) {
    for (let i: u32 = 0; i < dims; i++) {
      const at = query + (<usize>i << 2);
      store<f32>(at, <f32>(<f64>load<f32>(at) * scale));
    }
  }
  store<f32>(query + queryBytes(dims), <f32>(total * scale));
  store<f32>(query + queryBytes(dims), <f32>(squares * scale * scale), 4);
  if (load<u32>(H_TYPE) !== TYPE_F32) preparePlanes(query, query + queryBytes(dims));
}

/**
 * Offers candidates: `count` row numbers, ascending. With `whole`, the rows of a candidate's document beside it are
 * offered too, so that its best chunk is found even when the structure preferred another. Rows from `to` on are not.
 */
export function rescore(query: usize, metric: u32, candidates: usize, count: u32, to: u32, bitmap: usize, whole: u32, heap: usize): void {
  let next: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const row = load<u32>(candidates + (<usize>i << 2));
    if (row < next || row >= to) continue;
    let first = row;
    let end = row + 1;
    if (whole) {
      const ord = ordOf(row);
      while (first > next && row - first < REACH && ordOf(first - 1) === ord) first--;
      while (end < to && end - row < REACH && ordOf(end) === ord) end++;
    }
    for (let near = first; near < end; near++) {
      if (bitmap === 0 || hasRow(bitmap, near)) offer(heap, scoreRow(query, metric, near), near);
    }
    next = end;
  }
}

/**
 * The score of a stored vector as callers see it, reckoned in 64 bits; for the Euclidean metric it is 1 / (1 + distance).
 * `query` is the caller's, not prepared.
 */
export function exactScore(query: usize, metric: u32, row: u32): f64 {
  const vector = vectorOf(row);
  const dims = load<u32>(H_DIMS);
  let product: f64 = 0;
  let queryNorm: f64 = 0;
  let norm: f64 = 0;
  let distance: f64 = 0;
  for (let i: u32 = 0; i < dims; i++) {
    const a = <f64>load<f32>(query + (<usize>i << 2));
    const b = componentOf(vector, i);
    product += a * b;
    queryNorm += a * a;
    norm += b * b;
    distance += (a - b) * (a - b);
  }
  return finish(metric, product, queryNorm, norm, distance);
}

/** The same for a vector of f32 that is no row. */
export function exactScoreOf(query: usize, metric: u32, vector: usize): f64 {
  const dims = load<u32>(H_DIMS);
  let product: f64 = 0;
  let queryNorm: f64 = 0;
  let norm: f64 = 0;
  let distance: f64 = 0;
  for (let i: u32 = 0; i < dims; i++) {
    const a = <f64>load<f32>(query + (<usize>i << 2));
    const b = <f64>load<f32>(vector + (<usize>i << 2));
    product += a * b;
    queryNorm += a * a;
    norm += b * b;
    distance += (a - b) * (a - b);
  }
  return finish(metric, product, queryNorm, norm, distance);
}

function finish(metric: u32, product: f64, queryNorm: f64, norm: f64, distance: f64): f64 {
  if (metric === EUCLIDEAN) return 1 / (1 + Math.sqrt(distance));
  if (metric !== COSINE) return product;
  if (queryNorm === 0 || Math.sqrt(norm) < SHORTEST) return 0;
  return min<f64>(1, max<f64>(-1, product / (Math.sqrt(queryNorm) * Math.sqrt(norm))));
}
