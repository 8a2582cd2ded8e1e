// Variable-length integers, UTF-8 and byte strings in raw memory.

/** Writes an unsigned LEB128 integer, at most five bytes, and returns the address behind it. */
export function putVarint(at: usize, value: u32): usize {
  while (value >= 0x80) {
    store<u8>(at++, <u8>(value | 0x80));
    value >>= 7;
  }
  store<u8>(at, <u8>value);
  return at + 1;
}

/**
 * The same, but it may write a zero behind the integer, where that does no harm: integers of one or two bytes take no
 * branch.
 */
export function putVarintLoosely(at: usize, value: u32): usize {
  if (value >= SHORT_VARINT) return putVarint(at, value);
  store<u16>(at, <u16>shortVarint(value));
  return at + shortVarintSize(value);
}

/** Integers from this one on take more than two bytes. */
export const SHORT_VARINT: u32 = 1 << 14;

/** The bytes of an integer below `SHORT_VARINT`, the first lowest, and their number. */
export function shortVarint(value: u32): u32 {
  return (value & 0x7f) | (<u32>(value >= 0x80) << 7) | ((value >> 7) << 8);
}

export function shortVarintSize(value: u32): u32 {
  return 1 + <u32>(value >= 0x80);
}

/**
 * The integer at an address in the low half, the number of its bytes in the high half. One or two bytes, as most
 * integers have, take no branch.
 */
export function getVarint(at: usize): u64 {
  const pair = <u32>load<u16>(at);
  const more = (pair >> 7) & 1;
  if ((pair & (more << 15)) !== 0) return longVarint(at);
  return (<u64>(1 + more) << 32) | (pair & 0x7f) | ((pair >> 1) & 0x3f80 & (0 - more));
}

function longVarint(at: usize): u64 {
  let value: u32 = 0;
  let length: u32 = 0;
  let byte: u32;
  do {
    byte = load<u8>(at + length);
    value |= (byte & 0x7f) << (length * 7);
    length++;
  } while (byte >= 0x80);
  return (<u64>length << 32) | value;
}

export function varintValue(result: u64): u32 {
  return <u32>result;
}

export function varintLength(result: u64): u32 {
  return <u32>(result >> 32);
}

/** The high bits of eight bytes. */
const HIGH_BITS: u64 = (<u64>0x80808080 << 32) | 0x80808080;
const EACH_BYTE: u64 = (<u64>0x01010101 << 32) | 0x01010101;

/** Address behind `count` integers. It reads eight bytes at a time, which never leaves the memory (see `memory.ts`). */
export function skipVarints(at: usize, count: u32): usize {
  if (count === 0) return at;
  let ends = ~load<u64>(at) & HIGH_BITS;
  for (; count > 8; ends = ~load<u64>(at) & HIGH_BITS) {
    count -= <u32>popcnt(ends);
    at += 8;
  }
  let enough = bytesBehind(ends, count);
  while (enough === 0) {
    count -= <u32>popcnt(ends);
    at += 8;
    ends = ~load<u64>(at) & HIGH_BITS;
    enough = bytesBehind(ends, count);
  }
  return at + <usize>(ctz(enough) >> 3) + 1;
}

/**
 * The high bit of each of eight bytes up to which `count` integers end, at most 8, given the high bits of the bytes in
 * which integers end.
 */
function bytesBehind(ends: u64, count: u32): u64 {
  return ((((ends >> 7) * EACH_BYTE) | HIGH_BITS) - <u64>count * EACH_BYTE) & HIGH_BITS;
}

export function varintSize(value: u32): u32 {
  return value === 0 ? 1 : (38 - clz(value)) / 7;
}

/** Length in bytes of the UTF-8 character that a byte begins. The text is valid UTF-8. */
export function characterLength(first: u32): u32 {
  return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/** The code point at an address, given its length in bytes. */
export function codePointAt(at: usize, length: u32): u32 {
  const first = <u32>load<u8>(at);
  if (length === 1) return first;
  const second = <u32>load<u8>(at, 1) & 0x3f;
  if (length === 2) return ((first & 0x1f) << 6) | second;
  const third = <u32>load<u8>(at, 2) & 0x3f;
  if (length === 3) return ((first & 0x0f) << 12) | (second << 6) | third;
  return ((first & 0x07) << 18) | (second << 12) | (third << 6) | (<u32>load<u8>(at, 3) & 0x3f);
}

/** Writes a code point as UTF-8 and returns the address behind it. */
export function putCodePoint(at: usize, c: u32): usize {
  if (c < 0x80) {
    store<u8>(at, <u8>c);
    return at + 1;
  }
  if (c < 0x800) {
    store<u8>(at, <u8>(0xc0 | (c >> 6)));
    store<u8>(at, <u8>(0x80 | (c & 0x3f)), 1);
    return at + 2;
  }
  if (c < 0x10000) {
    store<u8>(at, <u8>(0xe0 | (c >> 12)));
    store<u8>(at, <u8>(0x80 | ((c >> 6) & 0x3f)), 1);
    store<u8>(at, <u8>(0x80 | (c & 0x3f)), 2);
    return at + 3;
  }
  store<u8>(at, <u8>(0xf0 | (c >> 18)));
  store<u8>(at, <u8>(0x80 | ((c >> 12) & 0x3f)), 1);
  store<u8>(at, <u8>(0x80 | ((c >> 6) & 0x3f)), 2);
  store<u8>(at, <u8>(0x80 | (c & 0x3f)), 3);
  return at + 4;
}

/** Order of two byte strings, which for UTF-8 is the order of their code points; a prefix comes first. */
export function compareBytes(a: usize, aLength: u32, b: usize, bLength: u32): i32 {
  const shared = min(aLength, bLength);
  for (let i: u32 = 0; i < shared; i += 8) {
    const difference = wordAt(a + i, shared - i) ^ wordAt(b + i, shared - i);
    if (difference === 0) continue;
    const at = <usize>i + <usize>(ctz(difference) >> 3);
    return <i32>load<u8>(a + at) - <i32>load<u8>(b + at);
  }
  return <i32>aLength - <i32>bLength;
}

/** The same for strings that are compared from their ends. */
export function compareBackward(a: usize, aLength: u32, b: usize, bLength: u32): i32 {
  const shared = min(aLength, bLength);
  for (let i: u32 = 0; i < shared; i += 8) {
    const aEnd = a + aLength - i;
    const bEnd = b + bLength - i;
    const difference = wordBefore(aEnd, shared - i) ^ wordBefore(bEnd, shared - i);
    if (difference === 0) continue;
    const at = <usize>(clz(difference) >> 3) + 1;
    return <i32>load<u8>(aEnd - at) - <i32>load<u8>(bEnd - at);
  }
  return <i32>aLength - <i32>bLength;
}

export function equalBytes(a: usize, b: usize, length: u32): bool {
  for (let i: u32 = 0; i < length; i += 8) if (wordAt(a + i, length - i) !== wordAt(b + i, length - i)) return false;
  return true;
}

/**
 * The first eight bytes of a string; if it is shorter, all of it and zeros behind. It always reads eight bytes, which
 * never leaves the memory (see `memory.ts`).
 */
export function wordAt(at: usize, length: u32): u64 {
  if (length >= 8) return load<u64>(at);
  return length === 0 ? 0 : load<u64>(at) & (~(<u64>0) >> (64 - (length << 3)));
}

/** The last eight bytes of a string that ends at an address; if it is shorter, all of it and zeros in front. */
export function wordBefore(end: usize, length: u32): u64 {
  if (length >= 8) return load<u64>(end - 8);
  return length === 0 ? 0 : load<u64>(end - 8) & (~(<u64>0) << (64 - (length << 3)));
}

/** The hash of a string: its bytes are mixed in, 16 at a time, padded with zeros. */
export function hashBytes(at: usize, length: u32): u32 {
  let state: u64 = 0;
  for (; length > 16; length -= 16) {
    state = stir(state, load<u64>(at), load<u64>(at, 8));
    at += 16;
  }
  return <u32>stir(state, wordAt(at, length), length > 8 ? wordAt(at + 8, length - 8) : 0);
}

/** The hash of up to 16 bytes, passed as two numbers. */
export function hashWords(low: u64, high: u64): u32 {
  return <u32>stir(0, low, high);
}

// The multipliers of MurmurHash3's 64-bit finaliser.
const STIR_LOW: u64 = (<u64>0xff51afd7 << 32) | 0xed558ccd;
const STIR_HIGH: u64 = (<u64>0xc4ceb9fe << 32) | 0x1a85ec53;

function stir(state: u64, low: u64, high: u64): u64 {
  state = (state ^ low) * STIR_LOW;
  state = (state ^ (state >> 32) ^ high) * STIR_HIGH;
  return state ^ (state >> 32);
}

/** Copies a few bytes faster than a call of `memory.copy`. The two places do not overlap. */
export function copyBytes(to: usize, from: usize, length: u32): void {
  for (; length > 8; length -= 8) {
    store<u64>(to, load<u64>(from));
    to += 8;
    from += 8;
  }
  if (length > 0) putBytes(to, load<u64>(from), length);
}

/** Overwrites 1 to 8 bytes at an address; the lowest is written first. */
export function putBytes(at: usize, bytes: u64, length: u32): void {
  const mask = ~(<u64>0) >> (64 - (length << 3));
  store<u64>(at, (load<u64>(at) & ~mask) | (bytes & mask));
}
