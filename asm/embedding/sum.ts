// The sum over the distinct tokens of sqrt(count) x scale x row, scaled to length 1.

import { countsOf, dimensions, outputOf, scalesAt, termsOf, tokensOf, vectorsAt } from './layout.ts';

/** Numbers that are summed in registers at a time. */
const BLOCK: usize = 32;

/**
 * Writes the vector of the first `count` ids of a desk to its output. Returns false, and no vector, if no token has one
 * other than zero.
 */
export function sumTokens(desk: usize, count: u32): bool {
  const terms = termsOf(desk);
  const end = weigh(desk, count, terms);
  const output = outputOf(desk);
  const dims = <usize>dimensions();
  let squares = f32x4.splat(0);
  for (let from: usize = 0; from < dims; from += BLOCK)
    squares = f32x4.add(squares, sumBlock(terms, end, from, output + from * 4));
  const sum = f32x4.extract_lane(squares, 0) + f32x4.extract_lane(squares, 1) + f32x4.extract_lane(squares, 2) +
    f32x4.extract_lane(squares, 3);
  if (!(sum > 0)) return false;
  const factor = f32x4.splat(1 / sqrt<f32>(sum));
  for (let at = output; at < output + dims * 4; at += 16) v128.store(at, f32x4.mul(v128.load(at), factor));
  return true;
}

/**
 * Writes address and weight of each token that has a weight, in the order of their first occurrences. Returns the end
 * of the list.
 */
function weigh(desk: usize, count: u32, terms: usize): usize {
  const ids = tokensOf(desk);
  const counts = countsOf(desk);
  const idsEnd = ids + (<usize>count << 2);
  let last = terms;
  for (let at = ids; at < idsEnd; at += 4) {
    const token = <usize>load<u32>(at);
    const seen = load<u32>(counts + (token << 2));
    store<u32>(counts + (token << 2), seen + 1);
    if (seen > 0) continue;
    store<u32>(last, <u32>token);
    last += 8;
  }
  const vectors = vectorsAt();
  const scales = scalesAt();
  const dims = <usize>dimensions();
  let kept = terms;
  for (let term = terms; term < last; term += 8) {
    const token = <usize>load<u32>(term);
    const weight = load<f32>(scales + (token << 2)) * sqrt<f32>(<f32>load<u32>(counts + (token << 2)));
    store<u32>(counts + (token << 2), 0);
    if (weight === 0) continue;
    store<u32>(kept, <u32>(vectors + token * dims));
    store<f32>(kept, weight, 4);
    kept += 8;
  }
  return kept;
}

/** Writes 32 numbers of the sum and returns their squares, four together. */
function sumBlock(terms: usize, end: usize, from: usize, output: usize): v128 {
  let a = f32x4.splat(0);
  let b = f32x4.splat(0);
  let c = f32x4.splat(0);
  let d = f32x4.splat(0);
  let e = f32x4.splat(0);
  let f = f32x4.splat(0);
  let g = f32x4.splat(0);
  let h = f32x4.splat(0);
  for (let term = terms; term < end; term += 8) {
    const row = <usize>load<u32>(term) + from;
    const weight = v128.load32_splat(term, 4);
    const first = v128.load(row);
    const second = v128.load(row, 16);
    let low = i16x8.extend_low_i8x16_s(first);
    a = f32x4.add(a, f32x4.mul(weight, f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(low))));
    b = f32x4.add(b, f32x4.mul(weight, f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(low))));
    low = i16x8.extend_high_i8x16_s(first);
    c = f32x4.add(c, f32x4.mul(weight, f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(low))));
    d = f32x4.add(d, f32x4.mul(weight, f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(low))));
    low = i16x8.extend_low_i8x16_s(second);
    e = f32x4.add(e, f32x4.mul(weight, f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(low))));
    f = f32x4.add(f, f32x4.mul(weight, f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(low))));
    low = i16x8.extend_high_i8x16_s(second);
    g = f32x4.add(g, f32x4.mul(weight, f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(low))));
    h = f32x4.add(h, f32x4.mul(weight, f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(low))));
  }
  v128.store(output, a);
  v128.store(output, b, 16);
  v128.store(output, c, 32);
  v128.store(output, d, 48);
  v128.store(output, e, 64);
  v128.store(output, f, 80);
  v128.store(output, g, 96);
  v128.store(output, h, 112);
  const ab = f32x4.add(f32x4.mul(a, a), f32x4.mul(b, b));
  const cd = f32x4.add(f32x4.mul(c, c), f32x4.mul(d, d));
  const ef = f32x4.add(f32x4.mul(e, e), f32x4.mul(f, f));
  const gh = f32x4.add(f32x4.mul(g, g), f32x4.mul(h, h));
  return f32x4.add(f32x4.add(ab, cd), f32x4.add(ef, gh));
}
