// The rows that a search considers: a bitmap, bit `row & 63` of u64 `row >> 6`.

import { H_ORDS } from './memory.ts';
import { blockOf, liveWordOf, ordOf, placeOf } from './rows.ts';

/**
 * If at least this many of 64 rows are selected, all are scored: the processor prefetches sequential reads, and
 * skipping single rows costs more than it saves.
 */
export const DENSE: u64 = 16;

/**
 * Writes the words for the rows from `from` (a multiple of 64) to `to`: rows that are alive and whose document is
 * in the filter, a bitmap of ordinals of `filterWords` words of 32 bits (address 0: every document is). Returns
 * the number of rows.
 */
export function selectRows(bitmap: usize, from: u32, to: u32, filter: usize, filterWords: u32): u32 {
  assert((from & 63) === 0, 'a range of rows starts with a word');
  let selected: u32 = 0;
  for (let row = from; row < to; row += 64) {
    let bits = load<u64>(liveWordOf(row));
    if (to - row < 64) bits &= (<u64>1 << (to - row)) - 1;
    if (filter !== 0 && bits !== 0) bits = filtered(row, bits, filter, filterWords);
    store<u64>(bitmap + (<usize>(row >> 6) << 3), bits);
    selected += <u32>popcnt(bits);
  }
  return selected;
}

/** Among the bits of 64 rows, those of rows whose document is in the filter. */
function filtered(row: u32, bits: u64, filter: usize, filterWords: u32): u64 {
  const ords = blockOf(row) + load<u32>(H_ORDS) + (placeOf(row) << 2);
  let kept: u64 = 0;
  for (let left = bits; left !== 0; left &= left - 1) {
    const i = ctz(left);
    const ord = load<u32>(ords + (<usize>i << 2));
    if (ord >> 5 < filterWords) kept |= <u64>((load<u32>(filter + (<usize>(ord >> 5) << 2)) >> (ord & 31)) & 1) << i;
  }
  return kept;
}

/** First row of the document of a row; its rows are consecutive. `row` may be the number of rows. */
export function documentStart(row: u32, rows: u32): u32 {
  if (row >= rows) return rows;
  const ord = ordOf(row);
  while (row > 0 && ordOf(row - 1) === ord) row--;
  return row;
}

/**
 * The bits of the 64 rows from `row` on, of a bitmap or, at address 0, of all; rows before `from` or from `to` on are
 * excluded.
 */
export function wordAt(bitmap: usize, row: u32, from: u32, to: u32): u64 {
  let bits = bitmap === 0 ? ~(<u64>0) : load<u64>(bitmap + (<usize>(row >> 6) << 3));
  if (row < from) bits &= ~(<u64>0) << (from - row);
  return to - row < 64 ? bits & ((<u64>1 << (to - row)) - 1) : bits;
}
