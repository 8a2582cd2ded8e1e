// A vector in a byte for each number, as documents keep it (src/docs/embeddings/vector-blob.ts, the twin): the least
// number and the step between two levels, both f32, then for each number the count of steps above the least one.

import { dimensions, outputOf, ROUNDED_HEAD, roundedOf } from './layout.ts';

const LEVELS: f64 = 255;

/** Rounds the vector in the output of a desk. */
export function roundVector(desk: usize): void {
  const from = outputOf(desk);
  const end = from + (<usize>dimensions() << 2);
  const to = roundedOf(desk);
  let low = v128.load(from);
  let high = low;
  for (let at = from + 16; at < end; at += 16) {
    low = f32x4.min(low, v128.load(at));
    high = f32x4.max(high, v128.load(at));
  }
  const least = min(min(f32x4.extract_lane(low, 0), f32x4.extract_lane(low, 1)),
    min(f32x4.extract_lane(low, 2), f32x4.extract_lane(low, 3)));
  const most = max(max(f32x4.extract_lane(high, 0), f32x4.extract_lane(high, 1)),
    max(f32x4.extract_lane(high, 2), f32x4.extract_lane(high, 3)));
  const step = <f32>((<f64>most - <f64>least) / LEVELS);
  store<f32>(to, least);
  store<f32>(to, step, 4);
  if (step > 0) writeLevels(from, end, f64x2.splat(<f64>least), f64x2.splat(<f64>step), to + ROUNDED_HEAD);
  else memory.fill(to + ROUNDED_HEAD, 0, dimensions());
}

function writeLevels(from: usize, end: usize, least: v128, step: v128, to: usize): void {
  for (; from < end; from += 32, to += 8) {
    const levels = i16x8.narrow_i32x4_s(fourLevels(from, least, step), fourLevels(from + 16, least, step));
    // Saturates to 255.
    v128.store64_lane(to, i8x16.narrow_i16x8_u(levels, levels), 0);
  }
}

function fourLevels(at: usize, least: v128, step: v128): v128 {
  return v128.shuffle<i64>(twoLevels(at, least, step), twoLevels(at + 8, least, step), 0, 2);
}

/** The levels of two numbers, in the first two lanes: i32. */
function twoLevels(at: usize, least: v128, step: v128): v128 {
  const values = f64x2.sub(f64x2.promote_low_f32x4(v128.load64_zero(at)), least);
  return i32x4.trunc_sat_f64x2_s_zero(f64x2.add(f64x2.div(values, step), f64x2.splat(0.5)));
}
