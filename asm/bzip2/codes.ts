// The Huffman codes of a block: read as lengths, stored as a table by the next ten bits, and as limits by length for
// longer ones.

import { consumedBits, take } from './bits.ts';
import { FAST_BITS, LENGTHS, SELECTORS, T_BASE, T_LIMIT, T_PERM, TABLE_BYTES, TABLES } from './layout.ts';

const MAX_LENGTH: u32 = 20;
const STRIDE: usize = 258;

/** Reads which code each group uses. Returns false if a code is named that does not exist. */
export function readSelectors(codes: u32, selectors: u32): bool {
  // Places in the order of their last use, four bits each.
  let recent: u32 = 0x543210;
  for (let i: u32 = 0; i < selectors; i++) {
    let place: u32 = 0;
    while (take(1) === 1) if (++place >= codes) return false;
    const shift = place * 4;
    const code = (recent >> shift) & 15;
    const below = recent & ((1 << shift) - 1);
    recent = (recent & ~((1 << (shift + 4)) - 1)) | (below << 4) | code;
    store<u8>(SELECTORS + <usize>i, <u8>code);
  }
  return true;
}

/** Reads the lengths of one code and makes its tables. Returns false for invalid lengths. */
export function readCode(code: u32, symbols: u32, lastBit: u32): bool {
  const lengths = LENGTHS + <usize>code * STRIDE;
  let length = take(5);
  for (let i: u32 = 0; i < symbols; i++) {
    for (;;) {
      if (length < 1 || length > MAX_LENGTH) return false;
      if (take(1) === 0) break;
      length += take(1) === 0 ? 1 : -1;
      if (consumedBits() > lastBit) return false;
    }
    store<u8>(lengths + <usize>i, <u8>length);
  }
  return fillTable(TABLES + <usize>code * TABLE_BYTES, lengths, symbols);
}

/** Numbers the symbols by length and order, as in canonical codes. Returns false if there are too many of a length. */
function fillTable(table: usize, lengths: usize, symbols: u32): bool {
  memory.fill(table, 0, T_PERM);
  let code: u32 = 0;
  let rank: u32 = 0;
  for (let length: u32 = 1; length <= MAX_LENGTH; length++) {
    store<i32>(table + T_BASE + <usize>length * 4, <i32>rank - <i32>code);
    for (let i: u32 = 0; i < symbols; i++) {
      if (load<u8>(lengths + <usize>i) !== <u8>length) continue;
      if (code >= (1 << length)) return false;
      store<u16>(table + T_PERM + <usize>rank * 2, <u16>i);
      if (length <= FAST_BITS)
        fillFast(table, code << (FAST_BITS - length), 1 << (FAST_BITS - length), <u16>((i << 5) | length));
      code++;
      rank++;
    }
    // The first code, as 20 bits, that belongs to a longer one.
    store<i32>(table + T_LIMIT + <usize>length * 4, <i32>(code << (MAX_LENGTH - length)));
    code <<= 1;
  }
  return true;
}

function fillFast(table: usize, from: u32, count: u32, entry: u16): void {
  for (let i: u32 = 0; i < count; i++) store<u16>(table + <usize>(from + i) * 2, entry);
}

/** The entry of a code longer than ten bits, from the next 20 bits; 0 if there is none. */
export function longCode(table: usize, bits: u32): u32 {
  for (let length: u32 = FAST_BITS + 1; length <= MAX_LENGTH; length++) {
    if (<i32>bits >= load<i32>(table + T_LIMIT + <usize>length * 4)) continue;
    const rank = <i32>(bits >>> (MAX_LENGTH - length)) + load<i32>(table + T_BASE + <usize>length * 4);
    return (<u32>load<u16>(table + T_PERM + <usize>rank * 2) << 5) | length;
  }
  return 0;
}
