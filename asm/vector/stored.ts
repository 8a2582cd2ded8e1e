// Vectors that are stored as codes of 8 or 4 bits: component = minimum + step * code, with a minimum and a step
// for each vector. rows.ts draws their layout.

import { H_DIMS, H_STRIDE, H_TYPE } from './memory.ts';
import { codeBytes, TYPE_F32, TYPE_INT8 } from './rows.ts';

/** Stores a vector of f32 in the segment's type. The destination must be zero. */
export function encodeVector(from: usize, to: usize): void {
  const type = load<u32>(H_TYPE);
  const dims = load<u32>(H_DIMS);
  if (type === TYPE_F32) {
    memory.copy(to, from, dims << 2);
    return;
  }
  const low = least(from, dims, 1);
  const levels: f64 = type === TYPE_INT8 ? 255 : 15;
  const step = (-<f64>least(from, dims, -1) - <f64>low) / levels;
  const middle: i32 = type === TYPE_INT8 ? 128 : 8;
  let sums: i32 = 0;
  for (let i: u32 = 0; i < dims; i += 2) {
    const codes = step > 0 ? twoCodes(from + (<usize>i << 2), i + 1 < dims, low, step, levels) : 0;
    const first = <i32>codes;
    const second = <i32>(codes >> 32);
    sums += first - middle + (i + 1 < dims ? second - middle : 0);
    if (type !== TYPE_INT8) store<u8>(to + (i >> 1), (first << 4) | second);
    else if (i + 1 < dims) store<u16>(to + i, first | (second << 8));
    else store<u8>(to + i, first);
  }
  const tail = to + load<u32>(H_STRIDE) - 16;
  store<f32>(tail, low);
  store<f32>(tail, <f32>step, 4);
  store<i32>(tail, sums, 8);
}

/**
 * Stores a vector that has a minimum and a step, f32, before its codes of 8 bits, in a segment of int8. The destination
 * must be zero.
 */
export function copyRounded(from: usize, to: usize): void {
  const dims = load<u32>(H_DIMS);
  const bytes = <usize>codeBytes(dims, TYPE_INT8);
  memory.copy(to, from + 8, dims);
  v128.store64_lane(to + bytes, v128.load64_zero(from), 0);
  let sums = i32x4.splat(0);
  for (let i: usize = 0; i < bytes; i += 16) {
    sums = i32x4.add(sums, i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(v128.load(to + i))));
  }
  store<i32>(to + bytes, lanes(sums) - <i32>dims * 128, 8);
}

/** The least component times `sign`. */
function least(vector: usize, dims: u32, sign: f32): f32 {
  let found = f32x4.splat(f32.POSITIVE_INFINITY);
  let i: u32 = 0;
  for (; i + 4 <= dims; i += 4)
    found = f32x4.min(found, f32x4.mul(v128.load(vector + (<usize>i << 2)), f32x4.splat(sign)));
  let result = min(min(f32x4.extract_lane(found, 0), f32x4.extract_lane(found, 1)),
    min(f32x4.extract_lane(found, 2), f32x4.extract_lane(found, 3)));
  for (; i < dims; i++) result = min(result, load<f32>(vector + (<usize>i << 2)) * sign);
  return result;
}

/** Codes of two components, or of one and a zero, as two u32. */
function twoCodes(at: usize, areTwo: bool, low: f32, step: f64, levels: f64): u64 {
  const values = f64x2.promote_low_f32x4(areTwo ? v128.load64_zero(at) : f32x4(load<f32>(at), low, 0, 0));
  const scaled = f64x2.div(f64x2.sub(values, f64x2.splat(low)), f64x2.splat(step));
  const codes = f64x2.min(f64x2.splat(levels), f64x2.floor(f64x2.add(scaled, f64x2.splat(0.5))));
  return <u64>i64x2.extract_lane(i32x4.trunc_sat_f64x2_u_zero(codes), 0);
}

/** The square of the length of a vector that is stored as codes. */
export function squareOfStored(vector: usize): f64 {
  const dims = load<u32>(H_DIMS);
  const type = load<u32>(H_TYPE);
  const tail = vector + load<u32>(H_STRIDE) - 16;
  const low = <f64>load<f32>(tail);
  const step = <f64>load<f32>(tail, 4);
  const squares = type === TYPE_INT8 ? squaresOfInt8(vector, tail) : squaresOfInt4(vector, dims);
  const codes = <f64>load<i32>(tail, 8) + <f64>dims * middleOf();
  return max(0, low * (low * dims + 2 * step * codes) + step * step * <f64>squares);
}

/** The sum of the squares of the codes, and of the zeros behind them. */
function squaresOfInt8(codes: usize, end: usize): u64 {
  let sums = i32x4.splat(0); // four sums of at most 16,384 squares each
  for (; codes < end; codes += 16) {
    const low = i16x8.extend_low_i8x16_u(v128.load(codes));
    const high = i16x8.extend_high_i8x16_u(v128.load(codes));
    sums = i32x4.add(sums, i32x4.add(i32x4.dot_i16x8_s(low, low), i32x4.dot_i16x8_s(high, high)));
  }
  return <u64>i32x4.extract_lane(sums, 0) + <u64>i32x4.extract_lane(sums, 1) + <u64>i32x4.extract_lane(sums, 2) +
    <u64>i32x4.extract_lane(sums, 3);
}

function squaresOfInt4(vector: usize, dims: u32): u64 {
  let squares: u64 = 0;
  for (let i: u32 = 0; i < dims; i++) {
    const byte = <u32>load<u8>(vector + (i >> 1));
    const code = i & 1 ? byte & 15 : byte >> 4;
    squares += code * code;
  }
  return squares;
}

/** Writes 1 / length of a vector behind its codes, where scans read it. */
export function keepNorm(vector: usize, inverseNorm: f32): void {
  if (load<u32>(H_TYPE) !== TYPE_F32) store<f32>(vector + load<u32>(H_STRIDE) - 4, inverseNorm);
}

/** One component of a stored vector. */
export function componentOf(vector: usize, i: u32): f64 {
  const type = load<u32>(H_TYPE);
  if (type === TYPE_F32) return load<f32>(vector + (<usize>i << 2));
  const tail = vector + load<u32>(H_STRIDE) - 16;
  const byte = <u32>load<u8>(vector + (type === TYPE_INT8 ? i : i >> 1));
  const code = type === TYPE_INT8 ? byte : i & 1 ? byte & 15 : byte >> 4;
  return <f64>load<f32>(tail) + <f64>load<f32>(tail, 4) * <f64>code;
}

/** Writes a stored vector as f32. */
export function decodeVector(vector: usize, to: usize): void {
  const dims = load<u32>(H_DIMS);
  for (let i: u32 = 0; i < dims; i++) store<f32>(to + (<usize>i << 2), <f32>componentOf(vector, i));
}

// In a product with f32, converting the codes would take longer than reading them. So the query becomes integers too,
// of 14 bits, in two planes: their products with codes are one instruction each. The error is that of the query's last
// bit; results are scored in full precision afterwards, with a few more candidates than needed.
//
//     int8   components between the least and the greatest as 0 to 16383: a plane of the upper seven bits and one of
//            the lower; codes minus 128 are the signed operand
//     int4   components as -16256 to 16256: planes of the upper half of the even dimensions, of the lower half, and the
//            same for the odd ones, with signs; codes are the unsigned operand
//
// The prepared data follow the query's f32: f32 sum of the components, f32 sum of their squares, f32 factor,
// f32 least; the numbers for bounds.ts; the planes from 64 bytes on.

const P_FACTOR: usize = 8;
const P_LEAST: usize = 12;
/**
 * A product of query and row without the lower planes is P_PRODUCT x the product with the upper planes + P_SUM x sum +
 * P_CONSTANT.
 */
export const P_PRODUCT: usize = 16;
export const P_SUM: usize = 20;
export const P_CONSTANT: usize = 24;
/** Length of the vector of the lower planes minus their mean. */
export const P_REST: usize = 28;
export const P_PLANES: usize = 64;

/** Bytes of a query's components, zeros included. */
export function queryBytes(dims: u32): u32 {
  return ((dims << 2) + 127) & ~127;
}

/** Address of the prepared data of a query. */
export function planesOf(query: usize): usize {
  return query + <usize>queryBytes(load<u32>(H_DIMS));
}

/** The code that is subtracted from each code in the sums of codes. */
export function middleOf(): i32 {
  return load<u32>(H_TYPE) === TYPE_INT8 ? 128 : 8;
}

/** Bytes of the prepared data. */
export function preparedBytes(dims: u32): u32 {
  return <u32>P_PLANES + 4 * codeBytes(dims, TYPE_INT8);
}

/** Writes the planes of a query of f32 to `tail`, which must be zero. */
export function preparePlanes(query: usize, tail: usize): void {
  const dims = load<u32>(H_DIMS);
  const type = load<u32>(H_TYPE);
  let least: f32 = 0;
  let greatest: f32 = 0;
  for (let i: u32 = 0; i < dims; i++) {
    least = min(least, load<f32>(query + (<usize>i << 2)));
    greatest = max(greatest, load<f32>(query + (<usize>i << 2)));
  }
  const origin = type === TYPE_INT8 ? <f64>least : 0;
  const factor = type === TYPE_INT8 ? (<f64>greatest - <f64>least) / 16383 : max(<f64>greatest, -<f64>least) / 16256;
  store<f32>(tail, <f32>factor, P_FACTOR);
  store<f32>(tail, <f32>origin, P_LEAST);
  let sum: f64 = 0;
  let squares: f64 = 0;
  for (let i: u32 = 0; factor > 0 && i < dims; i++) {
    const value = <i32>Math.floor((<f64>load<f32>(query + (<usize>i << 2)) - origin) / factor + 0.5) +
      (type === TYPE_INT8 ? 0 : 64);
    const lower = (value & 127) - (type === TYPE_INT8 ? 0 : 64);
    if (type === TYPE_INT8) storeHalves(tail + P_PLANES + i, codeBytes(dims, type), value >> 7, lower);
    else storeHalves(tail + P_PLANES + (i >> 1) + (i & 1 ? 2 * codeBytes(dims, type) : 0), codeBytes(dims, type),
        value >> 7, lower);
    sum += lower;
    squares += <f64>lower * lower;
  }
  const mean = sum / dims;
  store<f32>(tail, <f32>(128 * factor), P_PRODUCT);
  store<f32>(tail, <f32>(factor * mean + origin), P_SUM);
  store<f32>(tail, type === TYPE_INT8 ? <f32>128 * load<f32>(tail) : <f32>(8 * factor * sum), P_CONSTANT);
  store<f32>(tail, <f32>(1.0001 * factor * Math.sqrt(max(0, squares - sum * mean))), P_REST);
}

function storeHalves(at: usize, plane: usize, upper: i32, lower: i32): void {
  store<i8>(at, <i8>upper);
  store<i8>(at + plane, <i8>lower);
}

/** Dot product of a prepared query with a stored vector. */
export function dotStored(tail: usize, vector: usize): f32 {
  const dims = load<u32>(H_DIMS);
  const type = load<u32>(H_TYPE);
  const bytes = <usize>codeBytes(dims, type);
  const planes = type === TYPE_INT8 ? dotInt8(tail + P_PLANES, vector, bytes) : dotInt4(tail + P_PLANES, vector, bytes);
  const total = load<f32>(tail);
  let product = load<f32>(tail, P_FACTOR) * planes;
  if (type === TYPE_INT8) product += <f32>128 * total + load<f32>(tail, P_LEAST) * <f32>load<i32>(vector + bytes, 8);
  return load<f32>(vector + bytes) * total + load<f32>(vector + bytes, 4) * product;
}

/** 128 times the upper plane's product with the codes, plus the lower plane's product. */
function dotInt8(planes: usize, codes: usize, bytes: usize): f32 {
  return <f32>128 * <f32>coarseInt8(planes, codes, bytes) + <f32>coarseInt8(planes + bytes, codes, bytes);
}

/** The product of one plane, the upper or the lower, with codes. */
export function coarseInt8(plane: usize, codes: usize, bytes: usize): i32 {
  const sign = i8x16.splat(-128);
  let a = i32x4.splat(0);
  let b = a;
  let c = a;
  let d = a;
  const end = codes + bytes;
  for (const whole = codes + (bytes & ~63); codes < whole; codes += 64) {
    a = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.xor(v128.load(codes), sign), v128.load(plane), a);
    b = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.xor(v128.load(codes, 16), sign), v128.load(plane, 16), b);
    c = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.xor(v128.load(codes, 32), sign), v128.load(plane, 32), c);
    d = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.xor(v128.load(codes, 48), sign), v128.load(plane, 48), d);
    plane += 64;
  }
  for (; codes < end; codes += 16) {
    a = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.xor(v128.load(codes), sign), v128.load(plane), a);
    plane += 16;
  }
  return lanes(i32x4.add(i32x4.add(a, b), i32x4.add(c, d)));
}

function dotInt4(planes: usize, codes: usize, bytes: usize): f32 {
  return <f32>128 * <f32>coarseInt4(planes, codes, bytes) + <f32>coarseInt4(planes + bytes, codes, bytes);
}

/** The product of the upper planes, or the lower ones, with codes. */
export function coarseInt4(even: usize, codes: usize, bytes: usize): i32 {
  const nibble = i8x16.splat(15);
  const odd = even + (bytes << 1);
  let a = i32x4.splat(0);
  let b = a;
  let c = a;
  let d = a;
  let i: usize = 0;
  for (const whole = bytes & ~31; i < whole; i += 32) {
    const first = v128.load(codes + i);
    const second = v128.load(codes + i, 16);
    a = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(even + i), v128.and(i16x8.shr_u(first, 4), nibble), a);
    b = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(odd + i), v128.and(first, nibble), b);
    c = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(even + i, 16), v128.and(i16x8.shr_u(second, 4), nibble), c);
    d = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(odd + i, 16), v128.and(second, nibble), d);
  }
  if (i < bytes) {
    const last = v128.load(codes + i);
    a = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(even + i), v128.and(i16x8.shr_u(last, 4), nibble), a);
    b = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(odd + i), v128.and(last, nibble), b);
  }
  return lanes(i32x4.add(i32x4.add(a, b), i32x4.add(c, d)));
}

/** The sum of four integers. */
function lanes(v: v128): i32 {
  const pairs = i32x4.add(v, i8x16.shuffle(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  return i32x4.extract_lane(pairs, 0) + i32x4.extract_lane(pairs, 1);
}
