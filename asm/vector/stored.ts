// Vectors that are stored as codes of 8 or 4 bits: component = minimum + step * code, with a minimum and a step
// for each vector. How they lie is drawn in rows.ts.

import { sum } from './distance.ts';
import { H_DIMS, H_STRIDE, H_TYPE } from './memory.ts';
import { codeBytes, TYPE_F32, TYPE_INT8 } from './rows.ts';

/** Stores a vector of f32 as the segment's type wants it. The place is zero. */
export function encodeVector(from: usize, to: usize): void {
  const type = load<u32>(H_TYPE);
  const dims = load<u32>(H_DIMS);
  if (type === TYPE_F32) {
    memory.copy(to, from, dims << 2);
    return;
  }
  let low = f32.POSITIVE_INFINITY;
  let high = f32.NEGATIVE_INFINITY;
  for (let i: u32 = 0; i < dims; i++) {
    const value = load<f32>(from + (<usize>i << 2));
    low = min(low, value);
    high = max(high, value);
  }
  const levels: f64 = type === TYPE_INT8 ? 255 : 15;
  const step = (<f64>high - <f64>low) / levels;
  let sums: i32 = 0;
  for (let i: u32 = 0; i < dims; i++) {
    const value = <f64>load<f32>(from + (<usize>i << 2)) - <f64>low;
    const code = step > 0 ? <u32>min(levels, Math.floor(value / step + 0.5)) : 0;
    if (type === TYPE_INT8) store<u8>(to + i, code);
    else store<u8>(to + (i >> 1), load<u8>(to + (i >> 1)) | (i & 1 ? code : code << 4));
    sums += <i32>code - 128;
  }
  const tail = to + load<u32>(H_STRIDE) - 16;
  store<f32>(tail, low);
  store<f32>(tail, <f32>step, 4);
  if (type === TYPE_INT8) store<i32>(tail, sums, 8);
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

// A product with f32 would take longer to convert the codes than to read them. So the query becomes integers too, of
// 14 bits, in two planes: their products with codes are one instruction each. The error is that of the query's last
// bit; results are scored in full afterwards, with some to spare.
//
//     int8   components between the least and the greatest as 0 to 16383: a plane of the upper seven bits and one of
//            the lower; codes less 128 are the operand with a sign
//     int4   components as -16256 to 16256: planes of the upper half of the even dimensions, of the lower half, and the
//            same of the odd ones, with signs; codes are the operand without
//
// What is prepared lies behind the query's f32: f32 sum of the components, f32 sum of their squares, f32 factor,
// f32 least; the planes from 64 bytes on.

const P_FACTOR: usize = 8;
const P_LEAST: usize = 12;
const P_PLANES: usize = 64;

/** Bytes of what is prepared. */
export function preparedBytes(dims: u32): u32 {
  return <u32>P_PLANES + 4 * codeBytes(dims, TYPE_INT8);
}

/** Writes the planes of a query of f32 to `tail`, which is zero. */
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
  if (factor === 0) return;
  for (let i: u32 = 0; i < dims; i++) {
    const value = <i32>Math.floor((<f64>load<f32>(query + (<usize>i << 2)) - origin) / factor + 0.5);
    if (type === TYPE_INT8) storeHalves(tail + P_PLANES + i, codeBytes(dims, type), value >> 7, value & 127);
    else storeHalves(tail + P_PLANES + (i >> 1) + (i & 1 ? 2 * codeBytes(dims, type) : 0), codeBytes(dims, type), (value + 64) >> 7, ((value + 64) & 127) - 64);
  }
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

/** 128 times the upper plane's product with the codes, and the lower's. */
function dotInt8(planes: usize, codes: usize, bytes: usize): f32 {
  const sign = i8x16.splat(-128);
  let upper0 = i32x4.splat(0);
  let lower0 = i32x4.splat(0);
  let upper1 = i32x4.splat(0);
  let lower1 = i32x4.splat(0);
  let at = planes;
  const end = codes + bytes;
  for (const whole = codes + (bytes & ~31); codes < whole; codes += 32) {
    const a = v128.xor(v128.load(codes), sign);
    const b = v128.xor(v128.load(codes, 16), sign);
    upper0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(a, v128.load(at), upper0);
    lower0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(a, v128.load(at + bytes), lower0);
    upper1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(b, v128.load(at, 16), upper1);
    lower1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(b, v128.load(at + bytes, 16), lower1);
    at += 32;
  }
  if (codes < end) {
    const a = v128.xor(v128.load(codes), sign);
    upper0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(a, v128.load(at), upper0);
    lower0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(a, v128.load(at + bytes), lower0);
  }
  return together(i32x4.add(upper0, upper1), i32x4.add(lower0, lower1));
}

function dotInt4(planes: usize, codes: usize, bytes: usize): f32 {
  const nibble = i8x16.splat(15);
  let upper0 = i32x4.splat(0);
  let lower0 = i32x4.splat(0);
  let upper1 = i32x4.splat(0);
  let lower1 = i32x4.splat(0);
  const odd = bytes << 1;
  for (const end = codes + bytes; codes < end; codes += 16) {
    const both = v128.load(codes);
    const first = i8x16.shr_u(both, 4);
    const second = v128.and(both, nibble);
    upper0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(planes), first, upper0);
    lower0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(planes + bytes), first, lower0);
    upper1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(planes + odd), second, upper1);
    lower1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(planes + odd + bytes), second, lower1);
    planes += 16;
  }
  return together(i32x4.add(upper0, upper1), i32x4.add(lower0, lower1));
}

function together(upper: v128, lower: v128): f32 {
  return <f32>128 * sum(f32x4.convert_i32x4_s(upper)) + sum(f32x4.convert_i32x4_s(lower));
}
