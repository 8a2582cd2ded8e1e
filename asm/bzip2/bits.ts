// Reads bits, the highest first. Up to 64 of them are buffered in `buffer`, at its upper end. Bits behind the input are
// read as zeros; afterwards `consumedBits` shows whether any of them were used.

import { INPUT } from './layout.ts';

/** Buffered bits, and their number. */
export let buffer: u64 = 0;
export let waiting: u32 = 0;
/** Address of the next four bytes. */
export let next: usize = INPUT;

export function seek(bit: u32): void {
  next = INPUT + <usize>(bit >>> 3);
  buffer = 0;
  waiting = 0;
  refill();
  skip(bit & 7);
}

/** Number of bits that were consumed since the beginning of the input. */
export function consumedBits(): u32 {
  return <u32>(next - INPUT) * 8 - waiting;
}

/** Buffers at least 32 bits. */
export function refill(): void {
  if (waiting > 32) return;
  buffer |= <u64>bswap<u32>(load<u32>(next)) << (32 - waiting);
  next += 4;
  waiting += 32;
}

export function skip(count: u32): void {
  buffer <<= count;
  waiting -= count;
}

/** The next 1 to 24 bits. */
export function take(count: u32): u32 {
  refill();
  const value = <u32>(buffer >> (64 - count));
  skip(count);
  return value;
}

export function take32(): u32 {
  const high = take(16);
  return (high << 16) | take(16);
}

/** Restores the state that a loop has kept in local variables. */
export function restore(bits: u64, count: u32, at: usize): void {
  buffer = bits;
  waiting = count;
  next = at;
}
