// Codes of 8, 4 and 1 bit per dimension in addition to the rows of f32 (those of 1 bit also to rows of int8): small
// approximations that are scanned instead of the rows. They are in blocks with as many rows as the rows' own blocks,
// and are described by
//
//     +0   u32  bits: 8, 4 or 1
//     +4   u32  bytes of a row's codes
//     +8   u32  address of the table of blocks: u32 address each
//     +12  u32  1: codes are of vectors of length 1 (1 bit only)
//     +16  u32  bytes of 64 rows: their codes, and the numbers behind these
//     +64  f32  for each dimension, zeros up to a multiple of 64: the component of code 0, or of the centre
//     then, for 8 and 4 bits
//          f32  for each dimension: the step from a code to the next
//          f32  for each dimension: 1 / that step, or 0
//     or, for 1 bit, the parameters of bits.ts
//
// 8 bits code - 128 as i8, zeros up to a multiple of 16; behind 64 rows: f32 inverse norms, i32 sums of their codes
//     4 bits   32 dimensions in 16 bytes, the first 16 as the low nibbles; behind 64 rows: f32 inverse norms
//     1 bit    see bits.ts
//
// All that a scan needs is contiguous: if the numbers were in a second place, the scan would wait for them at each 64
// rows.
//
// Minimum and maximum of each dimension, and the centre, are computed from a sample of rows; components of later rows
// beyond these limits are clamped. Candidates are scored by their own vectors afterwards.

import { bitsParameterBytes, encodeBits, initializeBits } from './bits.ts';
import { H_DIMS, H_SHIFT, H_TYPE } from './memory.ts';
import { blockRows, inverseNormOf, placeOf, TYPE_F32, vectorOf } from './rows.ts';
import { decodeVector } from './stored.ts';

export const C_BITS: usize = 0;
export const C_STRIDE: usize = 4;
export const C_TABLE: usize = 8;
export const C_UNIT: usize = 12;
export const C_GROUP_BYTES: usize = 16;
const C_PARAMETERS: usize = 64;

/** Rows in the sample. */
const SAMPLE: u32 = 16384;

/** Dimensions up to a multiple of 32. */
export function paddedDims(): u32 {
  return (load<u32>(H_DIMS) + 31) & ~31;
}

/** Dimensions up to a multiple of 64. */
export function bitDims(): u32 {
  return (load<u32>(H_DIMS) + 63) & ~63;
}

/** Bytes of a description. */
export function codesBytes(bits: u32): u32 {
  return <u32>C_PARAMETERS + bitDims() * 4 + (bits === 1 ? bitsParameterBytes(bitDims()) : bitDims() * 8);
}

/** Bytes of a block of codes. */
export function codeBlockBytes(bits: u32): u32 {
  return (blockRows() >> 6) * groupBytes(bits);
}

function groupBytes(bits: u32): u32 {
  return 64 * (codeStride(bits) + (bits === 4 ? 4 : 8));
}

function codeStride(bits: u32): u32 {
  const dims = load<u32>(H_DIMS);
  if (bits === 8) return (dims + 15) & ~15;
  return bits === 4 ? paddedDims() >> 1 : bitDims() >> 3;
}

/**
 * Whether the query of a scan by signs is coded more finely than the rows (bits.ts): for cosines of rows that are
 * stored as codes. Their documents have many passages of similar scores, which signs of the query alone do not tell
 * apart.
 */
export function isFine(codes: usize): bool {
  return load<u32>(codes, C_UNIT) !== 0 && load<u32>(H_TYPE) !== TYPE_F32;
}

export function lowsOf(codes: usize): usize {
  return codes + C_PARAMETERS;
}

export function stepsOf(codes: usize): usize {
  return codes + C_PARAMETERS + (<usize>bitDims() << 2);
}

function inversesOf(codes: usize): usize {
  return codes + C_PARAMETERS + (<usize>bitDims() << 3);
}

/** Address of the codes of the group of 64 rows that contains a row. */
export function groupOf(codes: usize, row: u32): usize {
  const block = <usize>load<u32>(<usize>load<u32>(codes, C_TABLE) + (<usize>(row >> load<u32>(H_SHIFT)) << 2));
  return block + (placeOf(row) >> 6) * load<u32>(codes, C_GROUP_BYTES);
}

/** For restoring: sets the address of the table in a description that was copied from elsewhere. */
export function placeCodes(codes: usize, table: usize): void {
  store<u32>(codes, <u32>table, C_TABLE);
}

/** Describes codes with an empty table of blocks, and finds their parameters in the rows below `rows`. */
export function trainCodes(codes: usize, bits: u32, table: usize, unit: u32, rows: u32): void {
  memory.fill(codes, 0, codesBytes(bits));
  store<u32>(codes, bits, C_BITS);
  store<u32>(codes, codeStride(bits), C_STRIDE);
  store<u32>(codes, <u32>table, C_TABLE);
  store<u32>(codes, unit, C_UNIT);
  store<u32>(codes, groupBytes(bits), C_GROUP_BYTES);
  const every = max(1, rows / SAMPLE);
  if (bits === 1) {
    findCentre(lowsOf(codes), rows, every, unit, stepsOf(codes));
    initializeBits(stepsOf(codes), bitDims());
  } else findRanges(codes, rows, every, bits === 8 ? 255 : 15);
}

/** Address of a row's components as f32: `scratch`, with space for as many, if the row is stored as codes. */
function componentsOf(row: u32, scratch: usize): usize {
  if (load<u32>(H_TYPE) === TYPE_F32) return vectorOf(row);
  decodeVector(vectorOf(row), scratch);
  return scratch;
}

function findCentre(centre: usize, rows: u32, every: u32, unit: u32, scratch: usize): void {
  const dims = load<u32>(H_DIMS);
  const share = <f32>1 / <f32>max(1, (rows + every - 1) / every);
  for (let row: u32 = 0; row < rows; row += every) {
    const vector = componentsOf(row, scratch);
    const weight = unit ? share * inverseNormOf(row) : share;
    for (let i: usize = 0; i < <usize>dims << 2; i += 4)
      store<f32>(centre + i, load<f32>(centre + i) + load<f32>(vector + i) * weight);
  }
}

function findRanges(codes: usize, rows: u32, every: u32, levels: f32): void {
  const dims = load<u32>(H_DIMS);
  const lows = lowsOf(codes);
  const highs = stepsOf(codes);
  const inverses = inversesOf(codes);
  for (let row: u32 = 0; row < rows; row += every) {
    const vector = vectorOf(row);
    for (let i: usize = 0; i < <usize>dims << 2; i += 4) {
      const value = load<f32>(vector + i);
      store<f32>(lows + i, row === 0 ? value : min(load<f32>(lows + i), value));
      store<f32>(highs + i, row === 0 ? value : max(load<f32>(highs + i), value));
    }
  }
  for (let i: usize = 0; i < <usize>dims << 2; i += 4) {
    const step = (load<f32>(highs + i) - load<f32>(lows + i)) / levels;
    store<f32>(highs + i, step);
    store<f32>(inverses + i, step > 0 ? <f32>1 / step : 0);
  }
}

/** Bytes of the working memory of `encodeCodes`. */
export function encodingBytes(): u32 {
  return bitDims() * 8;
}

/** Writes the codes of the rows from `from` to `to`, whose blocks are in the table. `scratch` has `encodingBytes`. */
export function encodeCodes(codes: usize, from: u32, to: u32, scratch: usize): void {
  const bits = load<u32>(codes, C_BITS);
  const stride = <usize>load<u32>(codes, C_STRIDE);
  for (let row = from; row < to; row++) {
    const group = groupOf(codes, row);
    const at = group + <usize>(row & 63) * stride;
    const beside = group + 64 * stride + (<usize>(row & 63) << 2);
    if (bits === 1) {
      const scale = load<u32>(codes, C_UNIT) ? inverseNormOf(row) : 1;
      encodeBits(lowsOf(codes), stepsOf(codes), componentsOf(row, scratch + (<usize>bitDims() << 2)), scale, at, beside,
        scratch, isFine(codes));
      continue;
    }
    store<f32>(beside, inverseNormOf(row));
    if (bits === 8) store<i32>(beside, encode8(codes, vectorOf(row), at), 256);
    else encode4(codes, vectorOf(row), at);
  }
}

/** Codes of 16 dimensions as u8, clamped to 0..255. Behind the last dimension they are undefined. */
function encode16(codes: usize, vector: usize, i: usize): v128 {
  const lows = lowsOf(codes) + i;
  const inverses = inversesOf(codes) + i;
  const a = i16x8.narrow_i32x4_s(encodeFour(vector + i, lows, inverses),
    encodeFour(vector + i + 16, lows + 16, inverses + 16));
  const b = i16x8.narrow_i32x4_s(encodeFour(vector + i + 32, lows + 32, inverses + 32),
    encodeFour(vector + i + 48, lows + 48, inverses + 48));
  return i8x16.narrow_i16x8_u(a, b);
}

function encodeFour(values: usize, lows: usize, inverses: usize): v128 {
  const scaled = f32x4.mul(f32x4.sub(v128.load(values), v128.load(lows)), v128.load(inverses));
  return i32x4.trunc_sat_f32x4_s(f32x4.nearest(scaled));
}

function encode8(codes: usize, vector: usize, at: usize): i32 {
  const dims = <usize>load<u32>(H_DIMS);
  let sums = i32x4.splat(0);
  for (let i: usize = 0; i < dims; i += 16) {
    v128.store(at + i, v128.xor(encode16(codes, vector, i << 2), i8x16.splat(-128)));
    if (i + 16 > dims) memory.fill(at + dims, 0, i + 16 - dims);
    sums = i32x4.add(sums, i32x4.extadd_pairwise_i16x8_s(i16x8.extadd_pairwise_i8x16_s(v128.load(at + i))));
  }
  return i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1) + i32x4.extract_lane(sums, 2) +
    i32x4.extract_lane(sums, 3);
}

function encode4(codes: usize, vector: usize, at: usize): void {
  const dims = <usize>load<u32>(H_DIMS);
  for (let i: usize = 0; i < dims; i += 32) {
    const first = i8x16.min_u(encode16(codes, vector, i << 2), i8x16.splat(15));
    const second = i + 16 < dims
      ? i8x16.min_u(encode16(codes, vector, (i + 16) << 2), i8x16.splat(15))
      : i8x16.splat(0);
    v128.store(at + (i >> 1), v128.or(first, i8x16.shl(second, 4)));
  }
}
