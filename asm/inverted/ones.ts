// Where the ones of a run of bits are: unary parts of values follow from the distances between them. A byte at a time,
// by a table that has for each byte the places of its ones, u8 each, as for bitmaps in Lemire, Kaser et al., "Roaring
// bitmaps: implementation of an optimized software library" (2018).
//
// ONES_OF_BYTES has this table. ONES has the places that were found, u16 each, and 0xffff before the first one.

import { ONES, ONES_OF_BYTES } from './layout.ts';

/** Most ones that can be found, which must be among the first 65,000 bits. */
const MOST_ONES: u32 = 384;
/** The first place that was found. */
export const FIRST_ONE: usize = ONES + 2;

/** Finds the first `count` ones of the bits from an address on. */
export function findOnes(from: usize, count: u32): void {
  assert(count <= MOST_ONES, 'too many ones');
  // The table is complete if its last byte is.
  if (load<u8>(ONES_OF_BYTES, 255 * 8 + 7) === 0) makeTable();
  store<u16>(ONES, 0xffff);
  let to = FIRST_ONE;
  let base = i16x8.splat(0);
  for (const end = FIRST_ONE + (<usize>count << 1); to < end; from++) {
    const byte = <usize>load<u8>(from);
    v128.store(to, i16x8.add(v128.load_ext<u8>(ONES_OF_BYTES + (byte << 3)), base));
    base = i16x8.add(base, i16x8.splat(8));
    to += popcnt(byte) << 1;
  }
}

function makeTable(): void {
  for (let byte: u32 = 0; byte < 256; byte++) {
    let to = ONES_OF_BYTES + (<usize>byte << 3);
    for (let left = byte; left !== 0; left &= left - 1) store<u8>(to++, <u8>ctz(left));
  }
}
