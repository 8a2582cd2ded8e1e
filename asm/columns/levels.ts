// Bitmaps over slots, one for each level of a filter that is being evaluated. Filters are and, or and not of whole
// bitmaps: for 200,000 documents a bitmap has 25 KB, which an operation processes in about a microsecond.

import { H_ORD_END } from './layout.ts';
import { countBits } from './popcount.ts';
import { B_INPUT, B_LEVELS, B_OUTPUT, buffer, reserve } from './scratch.ts';
import { live, slotEnd, toOrds, toSlots } from './slots.ts';

/** Bytes of a level, a multiple of eight. */
export function levelBytes(): u32 {
  return slotEnd() >> 3;
}

/** Address of a level; its bits are not cleared. */
export function level(number: u32): usize {
  return reserve(B_LEVELS + number, levelBytes() + 16);
}

export function clearLevel(number: u32): void {
  memory.fill(level(number), 0, levelBytes());
}

/** Sets a level to all documents. */
export function fillLevel(number: u32): void {
  memory.copy(level(number), live(), levelBytes());
}

export function uniteLevels(to: u32, from: u32): void {
  const a = level(to);
  const b = level(from);
  const end = levelBytes();
  for (let i: u32 = 0; i < end; i += 8) store<u64>(a + i, load<u64>(a + i) | load<u64>(b + i));
}

export function intersectLevels(to: u32, from: u32): void {
  const a = level(to);
  const b = level(from);
  const end = levelBytes();
  for (let i: u32 = 0; i < end; i += 8) store<u64>(a + i, load<u64>(a + i) & load<u64>(b + i));
}

export function subtractLevels(to: u32, from: u32): void {
  const a = level(to);
  const b = level(from);
  const end = levelBytes();
  for (let i: u32 = 0; i < end; i += 8) store<u64>(a + i, load<u64>(a + i) & ~load<u64>(b + i));
}

/** Sets a level to the documents that it does not have. */
export function invertLevel(number: u32): void {
  const at = level(number);
  const all = live();
  const end = levelBytes();
  for (let i: u32 = 0; i < end; i += 8) store<u64>(at + i, load<u64>(all + i) & ~load<u64>(at + i));
}

export function countLevel(number: u32): u32 {
  return countBits(level(number), levelBytes());
}

/** Sets a level to the documents in a set of ordinals in B_INPUT, of `bytes` bytes. */
export function importLevel(number: u32, bytes: u32): void {
  toSlots(buffer(B_INPUT), bytes, level(number));
}

/** Writes a level to B_OUTPUT as a set of ordinals. Returns its bytes, a multiple of four. */
export function exportLevel(number: u32): u32 {
  const bytes = ((load<u32>(H_ORD_END) + 31) >> 5) << 2;
  const to = reserve(B_OUTPUT, bytes + 16);
  memory.fill(to, 0, bytes);
  toOrds(level(number), to);
  return bytes;
}
