// How well a text has the words of a query or similar ones: for each token of the query, the greatest cosine to a token
// of the text ("MaxSim": Khattab and Zaharia, "ColBERT", SIGIR 2020), here of token vectors without context; the mean
// over the query is weighted by their lengths.

import { dimensions, inversesAt, scalesAt, SIMILARITIES, similaritiesOf, similarityRowsOf, termsOf, tokensOf,
  usableRows, usedSimilaritiesOf, vectorsAt, wordOf } from './layout.ts';

/** Tokens of a query that are compared together. */
const BLOCK: u32 = 4;
/** Tokens of a text whose vectors are fetched together. */
const FETCHED: u32 = 32;
const CACHE_LINE: usize = 64;

// The terms of a desk hold, while texts are compared with a query:
//
//     | rows of the query: i16, up to a multiple of 4 | weights: f32 | 1 / length: f32 | best: f32 |
//
// Texts share most of their tokens, so the similarities of a token to the query are computed once: f32 for each token
// of the query, up to a multiple of 4. When there is no space for further rows, the last one is overwritten.

function rowBytes(): usize {
  return <usize>dimensions() << 1;
}

function padded(count: u32): u32 {
  return (count + BLOCK - 1) & ~(BLOCK - 1);
}

function weightsAt(desk: usize, count: u32): usize {
  return termsOf(desk) + rowBytes() * <usize>padded(count);
}

/** Measures the vectors of the tokens from `first` to `end`, which the host has written. */
export function measureVectors(first: u32, end: u32): void {
  const inverses = inversesAt();
  for (let token = <usize>first; token < <usize>end; token++) {
    const squares = squaresOf(vectorsAt() + token * dimensions());
    store<f32>(inverses + (token << 2), squares === 0 ? 0 : 1 / sqrt<f32>(<f32>squares));
  }
}

/** Prepares the comparison with a query: the `count` ids, at most 64, that the host wrote to the tokens of the desk. */
export function prepareQuery(desk: usize, count: u32): void {
  memory.fill(similarityRowsOf(desk), 0, usableRows() << 2);
  store<u32>(usedSimilaritiesOf(desk), 0);
  const all = padded(count);
  const bytes = rowBytes();
  const weights = weightsAt(desk, count);
  const inverses = weights + (<usize>all << 2);
  for (let i: u32 = 0; i < all; i++) {
    const row = termsOf(desk) + bytes * <usize>i;
    const at = <usize>i << 2;
    store<f32>(weights + at, 0);
    store<f32>(inverses + at, 0);
    if (i >= count) {
      memory.fill(row, 0, bytes);
      continue;
    }
    const token = <usize>load<u32>(tokensOf(desk) + (<usize>i << 2));
    const vector = vectorsAt() + token * dimensions();
    widen(vector, row);
    store<f32>(weights + at, sqrt<f32>(<f32>squaresOf(vector)) * load<f32>(scalesAt() + (token << 2)));
    store<f32>(inverses + at, load<f32>(inversesAt() + (token << 2)));
  }
}

/**
 * Compares a text, the `count` ids at the tokens of the desk, with the prepared query of `queryCount` ids. Returns a
 * number from 0 to 1: the mean of the whole text and of its first `lead` ids.
 */
export function matchTokens(desk: usize, count: u32, lead: u32, queryCount: u32): f64 {
  const all = <usize>padded(queryCount);
  if (all === 0) return 0;
  const best = weightsAt(desk, queryCount) + (all << 3);
  memory.fill(best, 0, all << 2);
  takeTokens(desk, 0, lead, best, all);
  const first = meanOf(desk, queryCount);
  takeTokens(desk, lead, count, best, all);
  return (<f64>first + <f64>meanOf(desk, queryCount)) / 2;
}

/** Raises the greatest products to those of the tokens from `from` to `to`. */
function takeTokens(desk: usize, from: u32, to: u32, best: usize, all: usize): void {
  const tokens = tokensOf(desk);
  let fetched = from;
  for (let i = from; i < to; i++) {
    if (i === fetched) {
      fetched = min(to, i + FETCHED);
      for (let j = i; j < fetched; j++) fetch(desk, <usize>load<u32>(tokens + (<usize>j << 2)));
    }
    const similarities = similaritiesTo(desk, <usize>load<u32>(tokens + (<usize>i << 2)), all);
    for (let q: usize = 0; q < all << 2; q += 16)
      v128.store(best + q, f32x4.max(v128.load(best + q), v128.load(similarities + q)));
  }
}

/** The weighted mean of the greatest cosines so far. */
function meanOf(desk: usize, queryCount: u32): f32 {
  const all = <usize>padded(queryCount);
  const weights = weightsAt(desk, queryCount);
  const inverses = weights + (all << 2);
  const best = inverses + (all << 2);
  let sum: f32 = 0;
  let total: f32 = 0;
  for (let at: usize = 0; at < all << 2; at += 4) {
    const weight = load<f32>(weights + at);
    total += weight;
    sum += weight * min<f32>(1, load<f32>(best + at) * load<f32>(inverses + at));
  }
  return total > 0 ? sum / total : 0;
}

/**
 * Touches the vector of a token whose similarities are not known. Tokens are anywhere in memory, and comparing one
 * takes about as long as loading the next; a tight loop of loads fetches many at the same time.
 */
function fetch(desk: usize, token: usize): void {
  if (load<u32>(similarityRowsOf(desk) + (token << 2)) !== 0) return;
  const vector = vectorsAt() + token * dimensions();
  let touched: u8 = 0;
  for (let i: usize = 0; i < <usize>dimensions(); i += CACHE_LINE) touched ^= load<u8>(vector + i);
  store<u8>(wordOf(desk), touched); // so that the compiler keeps the loads
}

/** Address of the products of a token's row, of length 1, with the `all` rows of the query. */
function similaritiesTo(desk: usize, token: usize, all: usize): usize {
  const known = similarityRowsOf(desk) + (token << 2);
  const found = load<u32>(known);
  if (found > 0) return similaritiesOf(desk) + ((<usize>(found - 1) * all) << 2);
  const used = usedSimilaritiesOf(desk);
  const index = load<u32>(used);
  if (index + 1 < SIMILARITIES / <u32>all) {
    store<u32>(known, index + 1);
    store<u32>(used, index + 1);
  }
  const similarities = similaritiesOf(desk) + ((<usize>index * all) << 2);
  const vector = vectorsAt() + token * dimensions();
  const inverse = v128.load_splat<f32>(inversesAt() + (token << 2));
  const rows = termsOf(desk);
  let q: usize = 0;
  for (; q + BLOCK < all; q += 2 * BLOCK)
    compareWithEight(vector, rows + q * rowBytes(), inverse, similarities + (q << 2));
  if (q < all) compareWithFour(vector, rows + q * rowBytes(), inverse, similarities + (q << 2));
  return similarities;
}

/** Writes a row of signed bytes as 16-bit numbers. */
function widen(from: usize, to: usize): void {
  const end = from + dimensions();
  for (; from < end; from += 16, to += 32) {
    const numbers = v128.load(from);
    v128.store(to, i16x8.extend_low_i8x16_s(numbers));
    v128.store(to, i16x8.extend_high_i8x16_s(numbers), 16);
  }
}

/** The sum of the squares of a row of signed bytes. */
function squaresOf(from: usize): i32 {
  let sum = i32x4.splat(0);
  for (const end = from + dimensions(); from < end; from += 16) {
    const numbers = v128.load(from);
    const low = i16x8.extend_low_i8x16_s(numbers);
    const high = i16x8.extend_high_i8x16_s(numbers);
    sum = i32x4.add(sum, productsAt(low, high, low, high));
  }
  return i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1) + i32x4.extract_lane(sum, 2) +
    i32x4.extract_lane(sum, 3);
}

/** Writes the products of a vector with four rows that follow each other, times `inverse`: f32. */
function compareWithFour(vector: usize, rows: usize, inverse: v128, out: usize): void {
  const bytes = rowBytes();
  const second = rows + bytes;
  const third = second + bytes;
  const fourth = third + bytes;
  let a = i32x4.splat(0);
  let b = a;
  let c = a;
  let d = a;
  for (let at: usize = 0; at < bytes; at += 32) {
    const numbers = v128.load(vector + (at >> 1));
    const low = i16x8.extend_low_i8x16_s(numbers);
    const high = i16x8.extend_high_i8x16_s(numbers);
    a = i32x4.add(a, productsAt(low, high, v128.load(rows + at), v128.load(rows + at, 16)));
    b = i32x4.add(b, productsAt(low, high, v128.load(second + at), v128.load(second + at, 16)));
    c = i32x4.add(c, productsAt(low, high, v128.load(third + at), v128.load(third + at, 16)));
    d = i32x4.add(d, productsAt(low, high, v128.load(fourth + at), v128.load(fourth + at, 16)));
  }
  v128.store(out, scaled(a, b, c, d, inverse));
}

/** The same with eight rows: reading the vector once for all of them takes two thirds of the time. */
function compareWithEight(vector: usize, rows: usize, inverse: v128, out: usize): void {
  const bytes = rowBytes();
  let a = i32x4.splat(0);
  let b = a;
  let c = a;
  let d = a;
  let e = a;
  let f = a;
  let g = a;
  let h = a;
  const fifth = rows + 4 * bytes;
  for (let at: usize = 0; at < bytes; at += 32) {
    const numbers = v128.load(vector + (at >> 1));
    const low = i16x8.extend_low_i8x16_s(numbers);
    const high = i16x8.extend_high_i8x16_s(numbers);
    let row = rows + at;
    a = i32x4.add(a, productsAt(low, high, v128.load(row), v128.load(row, 16)));
    row += bytes;
    b = i32x4.add(b, productsAt(low, high, v128.load(row), v128.load(row, 16)));
    row += bytes;
    c = i32x4.add(c, productsAt(low, high, v128.load(row), v128.load(row, 16)));
    row += bytes;
    d = i32x4.add(d, productsAt(low, high, v128.load(row), v128.load(row, 16)));
    row = fifth + at;
    e = i32x4.add(e, productsAt(low, high, v128.load(row), v128.load(row, 16)));
    row += bytes;
    f = i32x4.add(f, productsAt(low, high, v128.load(row), v128.load(row, 16)));
    row += bytes;
    g = i32x4.add(g, productsAt(low, high, v128.load(row), v128.load(row, 16)));
    row += bytes;
    h = i32x4.add(h, productsAt(low, high, v128.load(row), v128.load(row, 16)));
  }
  v128.store(out, scaled(a, b, c, d, inverse));
  v128.store(out, scaled(e, f, g, h, inverse), 16);
}

/** Sums of products of 16 numbers. */
function productsAt(low: v128, high: v128, otherLow: v128, otherHigh: v128): v128 {
  return i32x4.add(i32x4.dot_i16x8_s(low, otherLow), i32x4.dot_i16x8_s(high, otherHigh));
}

/** The four sums as f32, times a factor. */
function scaled(a: v128, b: v128, c: v128, d: v128, factor: v128): v128 {
  const ab = pairs(a, b);
  const cd = pairs(c, d);
  const sums = i32x4.add(v128.shuffle<i32>(ab, cd, 0, 2, 4, 6), v128.shuffle<i32>(ab, cd, 1, 3, 5, 7));
  return f32x4.mul(f32x4.convert_i32x4_s(sums), factor);
}

/** x0 + x2, x1 + x3, y0 + y2, y1 + y3. */
function pairs(x: v128, y: v128): v128 {
  return i32x4.add(v128.shuffle<i32>(x, y, 0, 1, 4, 5), v128.shuffle<i32>(x, y, 2, 3, 6, 7));
}
