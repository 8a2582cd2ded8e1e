// Scores of rows, by their own vectors: scans of a range, and scores of candidates that a structure found. While rows
// are compared, the Euclidean metric is the negated square of the distance; `exactScores` returns the scores that
// callers see.

import { boundRows } from './bounds.ts';
import { dot, dotTwo, l2sq } from './distance.ts';
import { H_DIMS, H_NORMS, H_STRIDE, H_TYPE } from './memory.ts';
import { blockOf, blockRows, chunkOf, COSINE, EUCLIDEAN, hasRow, inverseNormOf, ordOf, placeOf, SHORTEST, TYPE_F32,
  TYPE_INT8, vectorOf } from './rows.ts';
import { DENSE, wordAt } from './selection.ts';
import { componentOf, dotStored, planesOf, preparedBytes, preparePlanes, queryBytes } from './stored.ts';
import { barOf, FACTORS, offer, scoresOf, takeScores } from './topk.ts';

/** Rows of a candidate's document that are farther from the candidate are ignored. */
const REACH: u32 = 32;
/**
 * Candidates whose rows are prefetched before they are scored; even with the most dimensions they fit into the
 * second-level cache.
 */
const FETCHED_ROWS: u32 = 32;
const CACHE_LINE: usize = 64;
/** From this many bytes per row on, two streams are faster than one. */
const PAIRED_STRIDE: u32 = 2048;

/**
 * Offers the rows from `from` to `to`, of a bitmap or, at address 0, all of them. The query is prepared.
 */
export function scan(query: usize, metric: u32, from: u32, to: u32, bitmap: usize, heap: usize): void {
  const isFloat = load<u32>(H_TYPE) === TYPE_F32;
  const inPairs = isFloat && metric !== EUCLIDEAN && blockRows() >= 128 && load<u32>(H_STRIDE) >= PAIRED_STRIDE;
  for (let row = from & ~63; row < to; row += 64) {
    const bits = wordAt(bitmap, row, from, to);
    if (popcnt(bits) < DENSE) offerRows(query, metric, row, bits, heap);
    else if (isFloat) {
      const next = inPairs && (row & 64) === 0 && row + 64 < to ? wordAt(bitmap, row + 64, from, to) : 0;
      if (popcnt(next) >= DENSE) {
        scorePairs(query, metric, row, scoresOf(heap));
        takeScores(heap, row, bits, scoresOf(heap));
        takeScores(heap, row + 64, next, scoresOf(heap) + 256);
        row += 64;
      } else {
        scoreFloats(query, metric, row, scoresOf(heap));
        takeScores(heap, row, bits, scoresOf(heap));
      }
    } else if (barOf(heap) === -Infinity) offerRows(query, metric, row, bits, heap);
    else {
      boundRows(query, metric, vectorOf(row), scoresOf(heap));
      offerRows(query, metric, row, bits & reaching(scoresOf(heap), barOf(heap)), heap);
    }
  }
}

/** Scores and offers the rows of 64 that have a bit, one by one. */
function offerRows(query: usize, metric: u32, row: u32, bits: u64, heap: usize): void {
  for (; bits !== 0; bits &= bits - 1) offer(heap, scoreRow(query, metric, row + <u32>ctz(bits)), row + <u32>ctz(bits));
}

/** Bits of those of 64 bounds that are not below the bar. */
function reaching(bounds: usize, bar: f32): u64 {
  let below: u64 = 0;
  for (let i: usize = 0; i < 64; i += 4)
    below |= <u64>i32x4.bitmask(f32x4.lt(v128.load(bounds + (i << 2)), f32x4.splat(bar))) << i;
  return ~below;
}

/** Writes the scores of 64 rows of f32. A block has whole groups of 64, whether or not they were written. */
function scoreFloats(query: usize, metric: u32, row: u32, out: usize): void {
  const stride = <usize>load<u32>(H_STRIDE);
  let vector = vectorOf(row);
  if (metric === COSINE) fetchNorms(row, 64, out + FACTORS);
  for (let i: usize = 0; i < 256; i += 4) {
    store<f32>(out + i, metric === EUCLIDEAN ? -l2sq(query, vector, stride) : dot(query, vector, stride));
    vector += stride;
  }
  if (metric === COSINE) applyNorms(64, out);
}

/**
 * Writes the products of 128 rows of f32, or their cosines, each of the first 64 with one of the last: memory delivers
 * two streams faster than one, because a stream restarts at every page. (Computing distances takes longer
 * than that saves.)
 */
function scorePairs(query: usize, metric: u32, row: u32, out: usize): void {
  const stride = <usize>load<u32>(H_STRIDE);
  let vector = vectorOf(row);
  if (metric === COSINE) fetchNorms(row, 128, out + FACTORS);
  for (let i: usize = 0; i < 256; i += 4) {
    dotTwo(query, vector, vector + 64 * stride, stride, out + i);
    vector += stride;
  }
  if (metric === COSINE) applyNorms(128, out);
}

/**
 * Copies the inverse norms of rows. They are far from the rows: loaded before the rows, they arrive while the rows are
 * read.
 */
function fetchNorms(row: u32, count: usize, to: usize): void {
  const norms = blockOf(row) + load<u32>(H_NORMS) + (placeOf(row) << 2);
  for (let i: usize = 0; i < count << 2; i += 16) v128.store(to + i, v128.load(norms + i));
}

function applyNorms(count: usize, out: usize): void {
  for (let i: usize = 0; i < count << 2; i += 16)
    v128.store(out + i, f32x4.mul(v128.load(out + i), v128.load(out + i, FACTORS)));
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
  const tail = planesOf(query);
  const product = dotStored(tail, vector);
  if (metric === COSINE) return product * norm;
  if (metric !== EUCLIDEAN) return product;
  return <f32>2 * product - (norm === 0 ? 0 : <f32>1 / (norm * norm)) - load<f32>(tail, 4);
}

/** Bytes of a query with the prepared data behind its components. */
export function preparedQueryBytes(dims: u32): u32 {
  return queryBytes(dims) + preparedBytes(dims);
}

/**
 * Prepares a query from the components at `query`, in `preparedQueryBytes` that are zero elsewhere. For the cosine its
 * length becomes 1.
 */
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
 * Offers candidates: `count` row numbers, ascending. With `whole`, neighbouring rows of a candidate's document are
 * offered too, so that its best chunk is found even if the structure preferred another. Rows from `to` on are not
 * offered.
 */
export function rescore(query: usize, metric: u32, candidates: usize, count: u32, to: u32, bitmap: usize, whole: u32,
  heap: usize): void
{
  let next: u32 = 0;
  let fetched: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    if (i === fetched) {
      fetched = min(count, i + FETCHED_ROWS);
      for (let j = i; j < fetched; j++) fetch(load<u32>(candidates + (<usize>j << 2)), to, heap);
    }
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
 * Touches all that will be read of a row. Candidates are anywhere in memory, and scoring one takes less time than
 * loading the next; a tight loop of loads fetches many rows at the same time.
 */
function fetch(row: u32, to: u32, heap: usize): void {
  if (row < to) touch(row, scoresOf(heap));
}

/** Loads what is read of a row; something is written to `to`, so that the compiler keeps the loads. */
function touch(row: u32, to: usize): void {
  const stride = <usize>load<u32>(H_STRIDE);
  const vector = vectorOf(row);
  let touched = reinterpret<u32>(inverseNormOf(row)) ^ ordOf(row);
  for (let i: usize = 0; i < stride; i += CACHE_LINE) touched ^= load<u32>(vector + i);
  store<u32>(to, touched);
}

/**
 * The score of a stored vector as callers see it, computed in 64 bits; for the Euclidean metric it is 1 / (1 +
 * distance). `query` is the caller's query, not the prepared one.
 */
export function exactScore(query: usize, metric: u32, row: u32): f64 {
  const vector = vectorOf(row);
  if (load<u32>(H_TYPE) === TYPE_F32) return exactScoreOf(query, metric, vector);
  const dims = load<u32>(H_DIMS);
  if (load<u32>(H_TYPE) === TYPE_INT8 && (dims & 15) === 0) return exactScoreOfInt8(query, metric, vector);
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

/** Writes the scores of `count` rows, rounded to f32, and the numbers of their chunks. */
export function exactScores(query: usize, metric: u32, rows: usize, count: u32, scores: usize, chunks: usize): void {
  const inPairs = load<u32>(H_TYPE) === TYPE_INT8 && (load<u32>(H_DIMS) & 15) === 0 && metric !== EUCLIDEAN;
  const queryNorm = inPairs ? squareOf(query) : 0;
  for (let from: u32 = 0; from < count; from += FETCHED_ROWS) {
    const to = min(count, from + FETCHED_ROWS);
    for (let i = from; i < to; i++) touch(rowAt(rows, i), scores + (<usize>i << 2));
    for (let i = from; i < to; i++) store<u32>(chunks + (<usize>i << 2), chunkOf(rowAt(rows, i)));
    if (inPairs) {
      for (let i = from; i < to; i += 2)
        scorePair(query, metric, queryNorm, rowAt(rows, i), rowAt(rows, min(i + 1, to - 1)), scores + (<usize>i << 2),
          scores + (<usize>min(i + 1, to - 1) << 2));
    } else for (let i = from; i < to; i++)
        store<f32>(scores + (<usize>i << 2), <f32>exactScore(query, metric, rowAt(rows, i)));
  }
}

function rowAt(rows: usize, i: u32): u32 {
  return load<u32>(rows + (<usize>i << 2));
}

/** The square of a query's length, added up as `exactScoreOfInt8` does. */
function squareOf(query: usize): f64 {
  let sum = f64x2.splat(0);
  for (const end = query + (<usize>load<u32>(H_DIMS) << 2); query < end; query += 8) {
    const values = f64x2.promote_low_f32x4(v128.load64_zero(query));
    sum = f64x2.add(sum, f64x2.mul(values, values));
  }
  return both(sum);
}

/**
 * Writes the scores of two rows, which are products or cosines, as `exactScoreOfInt8` returns them. Sums wait for
 * their last addition, so that two rows take less than twice the time of one; codes convert faster as signed numbers.
 */
function scorePair(query: usize, metric: u32, queryNorm: f64, first: u32, second: u32, score: usize,
  otherScore: usize): void
{
  const dims = <usize>load<u32>(H_DIMS);
  const vector = vectorOf(first);
  const other = vectorOf(second);
  const low = f64x2.splat(<f64>load<f32>(vector + dims));
  const step = f64x2.splat(<f64>load<f32>(vector + dims, 4));
  const otherLow = f64x2.splat(<f64>load<f32>(other + dims));
  const otherStep = f64x2.splat(<f64>load<f32>(other + dims, 4));
  let product = f64x2.splat(0);
  let norm = product;
  let otherProduct = product;
  let otherNorm = product;
  for (let i: usize = 0; i < dims; i += 4) {
    const codes = i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(vector + i)));
    const otherCodes = i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(other + i)));
    const values = v128.load(query + (i << 2));
    let a = f64x2.promote_low_f32x4(values);
    let b = f64x2.add(low, f64x2.mul(step, f64x2.convert_low_i32x4_s(codes)));
    let c = f64x2.add(otherLow, f64x2.mul(otherStep, f64x2.convert_low_i32x4_s(otherCodes)));
    product = f64x2.add(product, f64x2.mul(a, b));
    norm = f64x2.add(norm, f64x2.mul(b, b));
    otherProduct = f64x2.add(otherProduct, f64x2.mul(a, c));
    otherNorm = f64x2.add(otherNorm, f64x2.mul(c, c));
    a = f64x2.promote_low_f32x4(upperHalf(values));
    b = f64x2.add(low, f64x2.mul(step, f64x2.convert_low_i32x4_s(upperHalf(codes))));
    c = f64x2.add(otherLow, f64x2.mul(otherStep, f64x2.convert_low_i32x4_s(upperHalf(otherCodes))));
    product = f64x2.add(product, f64x2.mul(a, b));
    norm = f64x2.add(norm, f64x2.mul(b, b));
    otherProduct = f64x2.add(otherProduct, f64x2.mul(a, c));
    otherNorm = f64x2.add(otherNorm, f64x2.mul(c, c));
  }
  store<f32>(score, <f32>finish(metric, both(product), queryNorm, both(norm), 0));
  store<f32>(otherScore, <f32>finish(metric, both(otherProduct), queryNorm, both(otherNorm), 0));
}

/** The same for a vector of int8 with a multiple of 16 dimensions. */
function exactScoreOfInt8(query: usize, metric: u32, vector: usize): f64 {
  const dims = <usize>load<u32>(H_DIMS);
  const low = f64x2.splat(<f64>load<f32>(vector + dims));
  const step = f64x2.splat(<f64>load<f32>(vector + dims, 4));
  let product = f64x2.splat(0);
  let queryNorm = product;
  let norm = product;
  let distance = product;
  for (let i: usize = 0; i < dims; i += 4) {
    const codes = i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(vector + i)));
    const values = v128.load(query + (i << 2));
    let a = f64x2.promote_low_f32x4(values);
    let b = f64x2.add(low, f64x2.mul(step, f64x2.convert_low_i32x4_u(codes)));
    let d = f64x2.sub(a, b);
    product = f64x2.add(product, f64x2.mul(a, b));
    queryNorm = f64x2.add(queryNorm, f64x2.mul(a, a));
    norm = f64x2.add(norm, f64x2.mul(b, b));
    distance = f64x2.add(distance, f64x2.mul(d, d));
    a = f64x2.promote_low_f32x4(upperHalf(values));
    b = f64x2.add(low, f64x2.mul(step, f64x2.convert_low_i32x4_u(upperHalf(codes))));
    d = f64x2.sub(a, b);
    product = f64x2.add(product, f64x2.mul(a, b));
    queryNorm = f64x2.add(queryNorm, f64x2.mul(a, a));
    norm = f64x2.add(norm, f64x2.mul(b, b));
    distance = f64x2.add(distance, f64x2.mul(d, d));
  }
  return finish(metric, both(product), both(queryNorm), both(norm), both(distance));
}

function upperHalf(v: v128): v128 {
  return v128.shuffle<i64>(v, v, 1, 1);
}

/** The same for a vector of f32, of a row or not. */
export function exactScoreOf(query: usize, metric: u32, vector: usize): f64 {
  const dims = <usize>load<u32>(H_DIMS);
  let product = f64x2.splat(0);
  let queryNorm = product;
  let norm = product;
  let distance = product;
  let i: usize = 0;
  for (const whole = (dims << 2) & ~7; i < whole; i += 8) {
    const a = f64x2.promote_low_f32x4(v128.load64_zero(query + i));
    const b = f64x2.promote_low_f32x4(v128.load64_zero(vector + i));
    const d = f64x2.sub(a, b);
    product = f64x2.add(product, f64x2.mul(a, b));
    queryNorm = f64x2.add(queryNorm, f64x2.mul(a, a));
    norm = f64x2.add(norm, f64x2.mul(b, b));
    distance = f64x2.add(distance, f64x2.mul(d, d));
  }
  const odd = (dims & 1) !== 0;
  const a = odd ? <f64>load<f32>(query + i) : 0;
  const b = odd ? <f64>load<f32>(vector + i) : 0;
  return finish(metric, both(product) + a * b, both(queryNorm) + a * a, both(norm) + b * b,
    both(distance) + (a - b) * (a - b));
}

function both(v: v128): f64 {
  return f64x2.extract_lane(v, 0) + f64x2.extract_lane(v, 1);
}

function finish(metric: u32, product: f64, queryNorm: f64, norm: f64, distance: f64): f64 {
  if (metric === EUCLIDEAN) return 1 / (1 + Math.sqrt(distance));
  if (metric !== COSINE) return product;
  if (queryNorm === 0 || Math.sqrt(norm) < SHORTEST) return 0;
  return min<f64>(1, max<f64>(-1, product / (Math.sqrt(queryNorm) * Math.sqrt(norm))));
}
