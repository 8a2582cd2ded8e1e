// Codes of 1 bit per dimension. The centre is subtracted from a vector, the rest is rotated at random, and the signs
// are kept: the share of signs in which two such codes differ is approximately the angle between the rests, divided by
// pi (M. Charikar, "Similarity estimation techniques from rounding algorithms", STOC 2002). The length of the rest is
// kept too, so products and distances can be estimated. Without the centre, vectors that are positive in all dimensions
// would have the same code; without the rotation, dimensions that hardly vary would count as much as the others.
//
// If the query is coded more finely than rows ("asymmetric"), the product of the rests is estimated from the query q
// and the signs s of a row r as (s . q) |r|^2 / (s . r), which is right on average (J. Gao, C. Long, "RaBitQ", SIGMOD
// 2024): with half the error, a third of the candidates is enough. A component of the query is step x (+-1 +-2 +-4),
// which are the bits of three planes, so that s . q needs only the numbers of different bits.
//
// The rotation is four rounds of random signs and a Walsh-Hadamard transform. If the number of dimensions is not a
// power of two, rounds alternate between the first and the last dimensions (N. Ailon, B. Chazelle, "The fast
// Johnson-Lindenstrauss transform", SIAM J. Comput. 39, 2009, has one round of it).
//
// Parameters, for D dimensions (a multiple of 64):
//
//     4 x D x f32    the signs of each round, 1 or -1
//     (D + 1) x f32  cosine of the angle for each number of different signs
//
// Behind the codes of 64 rows: f32 length of the rest of each, or |r|^2 / (s . r), then f32 dot product of each with
// the centre.

import { H_DIMS } from './memory.ts';

const ROUNDS: u32 = 4;
/**
 * Planes of a query that is coded more finely, its levels, and half of the distance between two of them that fits
 * normally distributed numbers best (J. Max, 1960).
 */
const PLANES: u32 = 3;
const LEVELS: f64 = 8;
const HALF_STEP: f64 = 0.293;

export function bitsParameterBytes(dims: u32): u32 {
  return ROUNDS * dims * 4 + (dims + 16) * 4;
}

export function cosinesOf(parameters: usize, dims: usize): usize {
  return parameters + ROUNDS * (dims << 2);
}

/** Writes the parameters; they are always the same. */
export function initializeBits(parameters: usize, dims: u32): void {
  let state: u64 = 0x9e37_79b9;
  for (let i: u32 = 0; i < ROUNDS * dims; i++) {
    // Marsaglia's xorshift, J. Stat. Softw. 8 (14), 2003.
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    store<f32>(parameters + (<usize>i << 2), (state >> 40) & 1 ? 1 : -1);
  }
  const cosines = cosinesOf(parameters, dims);
  for (let i: u32 = 0; i <= dims; i++)
    store<f32>(cosines + (<usize>i << 2), <f32>Math.cos((Math.PI * <f64>i) / <f64>dims));
}

/**
 * Writes the code of a vector times `scale` to `at`, and its length (or factor, for finer queries) and product to
 * `beside`.
 */
export function encodeBits(centre: usize, parameters: usize, vector: usize, scale: f32, at: usize, beside: usize,
  scratch: usize, isFine: bool): void
{
  const dims = load<u32>(H_DIMS);
  let product: f32 = 0;
  for (let i: usize = 0; i < <usize>dims << 2; i += 4) {
    const value = load<f32>(vector + i) * scale;
    product += value * load<f32>(centre + i);
    store<f32>(scratch + i, value - load<f32>(centre + i));
  }
  const length = encodeRest(parameters, dims, scratch, at);
  store<f32>(beside, isFine ? factorOf(length, scratch, (dims + 63) & ~63) : length);
  store<f32>(beside, product, 256);
}

/** Square of the length of a rotated vector, divided by the product with its signs. */
function factorOf(length: f32, values: usize, dims: usize): f32 {
  let sum: f32 = 0;
  for (let i: usize = 0; i < dims << 2; i += 4) sum += abs(load<f32>(values + i));
  return sum > 0 ? (length * length) / sum : 0;
}

/**
 * Writes the planes of a rotated query of a length to `at`, one behind the other. Returns the factor from the weighted
 * number of equal bits to the product: a step, corrected so that the coded query has the right product with the query.
 */
export function encodePlanes(values: usize, dims: usize, length: f32, at: usize): f32 {
  memory.fill(at, 0, (dims >> 3) * <usize>PLANES);
  if (length === 0) return 0;
  const step = HALF_STEP * <f64>length / Math.sqrt(<f64>dims);
  let product: f64 = 0;
  for (let i: usize = 0; i < dims; i++) {
    const value = <f64>load<f32>(values + (i << 2));
    const level = <i32>max<f64>(0, min<f64>(LEVELS - 1, Math.floor((value / step + LEVELS) / 2)));
    product += value * <f64>(2 * level - 7);
    for (let plane: usize = 0; plane < PLANES; plane++) {
      const byte = at + plane * (dims >> 3) + (i >> 3);
      store<u8>(byte, load<u8>(byte) | <u8>(((level >> <i32>plane) & 1) << <i32>(i & 7)));
    }
  }
  return <f32>(<f64>length * <f64>length / product);
}

/** Rotates the vector in the scratch, writes its signs, and returns its length. */
export function encodeRest(parameters: usize, dims: u32, scratch: usize, at: usize): f32 {
  const padded = <usize>((dims + 63) & ~63);
  memory.fill(scratch + (<usize>dims << 2), 0, (padded - dims) << 2);
  let squares: f32 = 0;
  for (let i: usize = 0; i < <usize>dims << 2; i += 4) squares += load<f32>(scratch + i) * load<f32>(scratch + i);
  rotate(parameters, scratch, padded);
  for (let i: usize = 0; i < padded; i += 64) {
    let word: u64 = 0;
    for (let j: usize = 0; j < 64; j += 4)
      word |= <u64>i32x4.bitmask(f32x4.gt(v128.load(scratch + ((i + j) << 2)), f32x4.splat(0))) << j;
    store<u64>(at + (i >> 3), word);
  }
  return Mathf.sqrt(squares);
}

function rotate(parameters: usize, values: usize, dims: usize): void {
  const size = <usize>1 << (31 - clz(<u32>dims));
  const scale = f32x4.splat(<f32>(1 / Math.sqrt(<f64>size)));
  for (let round: usize = 0; round < ROUNDS; round++) {
    const signs = parameters + round * (dims << 2);
    for (let i: usize = 0; i < dims << 2; i += 16)
      v128.store(values + i, f32x4.mul(v128.load(values + i), v128.load(signs + i)));
    const from = values + (round & 1 ? (dims - size) << 2 : 0);
    transform(from, size);
    for (let i: usize = 0; i < size << 2; i += 16) v128.store(from + i, f32x4.mul(v128.load(from + i), scale));
  }
}

/** The Walsh-Hadamard transform of a power of two of values, at least 64, in place. */
function transform(values: usize, size: usize): void {
  for (let i: usize = 0; i < size << 2; i += 16) {
    const a = v128.load(values + i);
    const b = f32x4.add(f32x4.mul(a, f32x4(1, -1, 1, -1)),
      i8x16.shuffle(a, a, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
    v128.store(values + i,
      f32x4.add(f32x4.mul(b, f32x4(1, 1, -1, -1)),
        i8x16.shuffle(b, b, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7)));
  }
  for (let half: usize = 16; half < size << 2; half <<= 1) {
    for (let i: usize = 0; i < size << 2; i += half << 1) {
      for (let j = values + i; j < values + i + half; j += 16) {
        const a = v128.load(j);
        const b = v128.load(j + half);
        v128.store(j, f32x4.add(a, b));
        v128.store(j + half, f32x4.sub(a, b));
      }
    }
  }
}
