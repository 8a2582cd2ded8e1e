// Numbers of bits, which facets and totals consist of.

/** Most bytes whose counts fit into 16 bits for each two bytes of a vector. */
const MOST_BYTES: u32 = 8192;

/** Number of bits of a bitmap of any size. */
export function countBits(bits: usize, bytes: u32): u32 {
  let count: u32 = 0;
  for (let i: u32 = 0; i < bytes; i += MOST_BYTES) count += countCommon(bits + i, bits + i, min(bytes - i, MOST_BYTES));
  return count;
}

/**
 * Number of bits that two bitmaps of up to 8,192 bytes have in common, by carry-save adders (Mula, Kurz and Lemire,
 * Faster Population Counts Using AVX2 Instructions, 2018): eight vectors become one in which each bit counts for eight,
 * and only that is counted. The common bits are also written to a third bitmap, unless that is 0.
 */
export function countCommon(one: usize, other: usize, bytes: u32, to: usize = 0): u32 {
  const zero = i64x2.splat(0);
  let ones = zero;
  let twos = zero;
  let fours = zero;
  let eights = zero;
  let i: u32 = 0;
  for (; i + 128 <= bytes; i += 128) {
    const a = one + i;
    const b = other + i;
    if (to !== 0) copyCommon(a, b, to + i);
    let next = v128.and(v128.load(a), v128.load(b));
    let last = v128.and(v128.load(a, 16), v128.load(b, 16));
    let half = v128.xor(ones, next);
    const two0 = v128.or(v128.and(ones, next), v128.and(half, last));
    ones = v128.xor(half, last);
    next = v128.and(v128.load(a, 32), v128.load(b, 32));
    last = v128.and(v128.load(a, 48), v128.load(b, 48));
    half = v128.xor(ones, next);
    const two1 = v128.or(v128.and(ones, next), v128.and(half, last));
    ones = v128.xor(half, last);
    half = v128.xor(twos, two0);
    const four0 = v128.or(v128.and(twos, two0), v128.and(half, two1));
    twos = v128.xor(half, two1);
    next = v128.and(v128.load(a, 64), v128.load(b, 64));
    last = v128.and(v128.load(a, 80), v128.load(b, 80));
    half = v128.xor(ones, next);
    const two2 = v128.or(v128.and(ones, next), v128.and(half, last));
    ones = v128.xor(half, last);
    next = v128.and(v128.load(a, 96), v128.load(b, 96));
    last = v128.and(v128.load(a, 112), v128.load(b, 112));
    half = v128.xor(ones, next);
    const two3 = v128.or(v128.and(ones, next), v128.and(half, last));
    ones = v128.xor(half, last);
    half = v128.xor(twos, two2);
    const four1 = v128.or(v128.and(twos, two2), v128.and(half, two3));
    twos = v128.xor(half, two3);
    half = v128.xor(fours, four0);
    eights = i16x8.add(eights, pairsOf(v128.or(v128.and(fours, four0), v128.and(half, four1))));
    fours = v128.xor(half, four1);
  }
  const larger = i16x8.add(i16x8.shl(eights, 3), i16x8.shl(pairsOf(fours), 2));
  let count = sumOf(i16x8.add(larger, i16x8.add(i16x8.shl(pairsOf(twos), 1), pairsOf(ones))));
  for (; i < bytes; i += 8) {
    const common = load<u64>(one + i) & load<u64>(other + i);
    if (to !== 0) store<u64>(to + i, common);
    count += <u32>popcnt(common);
  }
  return count;
}

/** 128 bytes. */
function copyCommon(one: usize, other: usize, to: usize): void {
  v128.store(to, v128.and(v128.load(one), v128.load(other)));
  v128.store(to, v128.and(v128.load(one, 16), v128.load(other, 16)), 16);
  v128.store(to, v128.and(v128.load(one, 32), v128.load(other, 32)), 32);
  v128.store(to, v128.and(v128.load(one, 48), v128.load(other, 48)), 48);
  v128.store(to, v128.and(v128.load(one, 64), v128.load(other, 64)), 64);
  v128.store(to, v128.and(v128.load(one, 80), v128.load(other, 80)), 80);
  v128.store(to, v128.and(v128.load(one, 96), v128.load(other, 96)), 96);
  v128.store(to, v128.and(v128.load(one, 112), v128.load(other, 112)), 112);
}

/** Number of bits in each two bytes. */
function pairsOf(bits: v128): v128 {
  return i16x8.extadd_pairwise_i8x16_u(i8x16.popcnt(bits));
}

function sumOf(counts: v128): u32 {
  const sums = i32x4.extadd_pairwise_i16x8_u(counts);
  return <u32>(i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1) + i32x4.extract_lane(sums, 2) +
    i32x4.extract_lane(sums, 3));
}
