// How well a text has the words of a query or similar ones: for each token of the query, the greatest cosine to a token of the text ("MaxSim":
// Khattab and Zaharia, "ColBERT", SIGIR 2020), here of token vectors without context; the mean over the query is weighted by their lengths.

import { dimensions, scalesAt, SIMILARITIES, similaritiesOf, similarityRowsOf, termsOf, tokenCount, tokensOf, vectorsAt } from './layout.ts';

/** Tokens of a query that are compared together. */
const BLOCK: u32 = 4;

// The terms of a desk hold, while texts are compared with a query:
//
//     | row of the text's token: i16 | rows of the query: i16, up to a multiple of 4 | weights: f32 | 1 / length: f32 | best: f32 |
//
// Texts share most of their tokens, so the similarities of a token to the query are computed once: f32 for each token of the query, up to a
// multiple of 4. When there is no space for further rows, the last one is overwritten.

function rowBytes(): usize {
  return <usize>dimensions() << 1;
}

function padded(count: u32): u32 {
  return (count + BLOCK - 1) & ~(BLOCK - 1);
}

function weightsAt(desk: usize, count: u32): usize {
  return termsOf(desk) + rowBytes() * (<usize>padded(count) + 1);
}

/** Prepares the comparison with a query: the `count` ids, at most 64, that the host wrote to the tokens of the desk. */
export function prepareQuery(desk: usize, count: u32): void {
  memory.fill(similarityRowsOf(desk), 0, (<usize>tokenCount() + 1) << 2);
  const all = padded(count);
  const bytes = rowBytes();
  const weights = weightsAt(desk, count);
  const inverses = weights + (<usize>all << 2);
  for (let i: u32 = 0; i < all; i++) {
    const row = termsOf(desk) + bytes * (<usize>i + 1);
    const at = <usize>i << 2;
    store<f32>(weights + at, 0);
    store<f32>(inverses + at, 0);
    if (i >= count) {
      memory.fill(row, 0, bytes);
      continue;
    }
    const token = <usize>load<u16>(tokensOf(desk) + (<usize>i << 1));
    const length = sqrt<f32>(<f32>widen(vectorsAt() + token * dimensions(), row));
    if (length === 0) continue;
    store<f32>(weights + at, length * load<f32>(scalesAt() + (token << 2)));
    store<f32>(inverses + at, 1 / length);
  }
}

/** Compares a text, the `count` ids at the tokens of the desk, with the prepared query of `queryCount` ids. Returns a number from 0 to 1. */
export function matchTokens(desk: usize, count: u32, queryCount: u32): f32 {
  const all = <usize>padded(queryCount);
  if (all === 0) return 0;
  const weights = weightsAt(desk, queryCount);
  const inverses = weights + (all << 2);
  const best = inverses + (all << 2);
  memory.fill(best, 0, all << 2);
  for (let i: u32 = 0; i < count; i++) {
    const similarities = similaritiesTo(desk, <usize>load<u16>(tokensOf(desk) + (<usize>i << 1)), all);
    for (let q: usize = 0; q < all << 2; q += 16) v128.store(best + q, f32x4.max(v128.load(best + q), v128.load(similarities + q)));
  }
  let sum: f32 = 0;
  let total: f32 = 0;
  for (let at: usize = 0; at < all << 2; at += 4) {
    const weight = load<f32>(weights + at);
    total += weight;
    sum += weight * min<f32>(1, load<f32>(best + at) * load<f32>(inverses + at));
  }
  return total > 0 ? sum / total : 0;
}

/** Address of the products of a token's row, of length 1, with the `all` rows of the query. */
function similaritiesTo(desk: usize, token: usize, all: usize): usize {
  const known = similarityRowsOf(desk) + (token << 2);
  const found = load<u32>(known);
  if (found > 0) return similaritiesOf(desk) + ((<usize>(found - 1) * all) << 2);
  const used = similarityRowsOf(desk) + (<usize>tokenCount() << 2);
  const index = load<u32>(used);
  if (index + 1 < SIMILARITIES / <u32>all) {
    store<u32>(known, index + 1);
    store<u32>(used, index + 1);
  }
  const similarities = similaritiesOf(desk) + ((<usize>index * all) << 2);
  const bytes = rowBytes();
  const row = termsOf(desk);
  const squares = widen(vectorsAt() + token * dimensions(), row);
  const inverse = f32x4.splat(squares === 0 ? 0 : 1 / sqrt<f32>(<f32>squares));
  for (let q: usize = 0; q < all; q += BLOCK) {
    v128.store(similarities + (q << 2), f32x4.mul(f32x4.convert_i32x4_s(products(row, row + bytes + q * bytes, bytes)), inverse));
  }
  return similarities;
}

/** Writes a row of signed bytes as 16-bit numbers, and returns the sum of their squares. */
function widen(from: usize, to: usize): i32 {
  let sum = i32x4.splat(0);
  const end = from + dimensions();
  for (; from < end; from += 16, to += 32) {
    const numbers = v128.load(from);
    const low = i16x8.extend_low_i8x16_s(numbers);
    const high = i16x8.extend_high_i8x16_s(numbers);
    v128.store(to, low);
    v128.store(to, high, 16);
    sum = i32x4.add(sum, i32x4.add(i32x4.dot_i16x8_s(low, low), i32x4.dot_i16x8_s(high, high)));
  }
  return lanes(sum);
}

/** The products of a row with four rows that follow each other. */
function products(row: usize, four: usize, bytes: usize): v128 {
  let a = i32x4.splat(0);
  let b = i32x4.splat(0);
  let c = i32x4.splat(0);
  let d = i32x4.splat(0);
  const second = four + bytes;
  const third = second + bytes;
  const fourth = third + bytes;
  for (let at: usize = 0; at < bytes; at += 16) {
    const numbers = v128.load(row + at);
    a = i32x4.add(a, i32x4.dot_i16x8_s(numbers, v128.load(four + at)));
    b = i32x4.add(b, i32x4.dot_i16x8_s(numbers, v128.load(second + at)));
    c = i32x4.add(c, i32x4.dot_i16x8_s(numbers, v128.load(third + at)));
    d = i32x4.add(d, i32x4.dot_i16x8_s(numbers, v128.load(fourth + at)));
  }
  return i32x4.replace_lane(i32x4.replace_lane(i32x4.replace_lane(i32x4.splat(lanes(a)), 1, lanes(b)), 2, lanes(c)), 3, lanes(d));
}

function lanes(sum: v128): i32 {
  return i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1) + i32x4.extract_lane(sum, 2) + i32x4.extract_lane(sum, 3);
}
