// Reads the content of a block into the chain of its bytes: Huffman codes, runs of the most recent byte, move-to-front,
// and the positions by which the Burrows-Wheeler transform is inverted.

import { buffer, consumedBits, next, refill, restore, take, waiting } from './bits.ts';
import { longCode, readCode, readSelectors } from './codes.ts';
import { CHAIN, COUNTS, FAST_BITS, GROUP, INPUT, MAX_SELECTORS, RECENT, SELECTORS, TABLE_BYTES,
  TABLES } from './layout.ts';

/** The first position of the chain, and its length in bytes. */
export let start: u32 = 0;
export let size: u32 = 0;

/**
 * Reads the block at the next bits, whose magic number and CRC have been read. `lastBit` is the end of the input.
 * Returns false if the block is invalid, or needs more input than there is.
 */
export function readBlock(maxSize: u32, lastBit: u32): bool {
  start = take(24);
  const used = readUsed();
  if (used === 0) return false;
  const codes = take(3);
  const selectors = take(15);
  if (codes < 2 || codes > 6 || selectors < 1 || selectors > MAX_SELECTORS) return false;
  // Each selector takes at least one bit, so reading zeros behind the input ends.
  if (consumedBits() + selectors > lastBit || !readSelectors(codes, selectors)) return false;
  for (let i: u32 = 0; i < codes; i++) if (!readCode(i, used + 2, lastBit)) return false;
  memory.fill(COUNTS, 0, 1024);
  if (!readSymbols(used, selectors, maxSize, lastBit)) return false;
  if (start >= size) return false;
  linkChain();
  return true;
}

/** Reads the bytes that occur, in order, as the first list of recent ones; returns their number. */
function readUsed(): u32 {
  const rows = take(16);
  let used: u32 = 0;
  for (let row: u32 = 0; row < 16; row++) {
    if (!(rows & (0x8000 >>> row))) continue;
    const columns = take(16);
    for (let column: u32 = 0; column < 16; column++) {
      if (!(columns & (0x8000 >>> column))) continue;
      store<u8>(RECENT + <usize>used, <u8>(row * 16 + column));
      used++;
    }
  }
  return used;
}

/**
 * Reads the symbols up to the block's end, as bytes in the chain. Local variables keep the bits, which makes it fast.
 */
function readSymbols(used: u32, selectors: u32, maxSize: u32, lastBit: u32): bool {
  refill();
  let bits = buffer;
  let count = waiting;
  let at = next;
  const last = INPUT + <usize>(lastBit >>> 3) + 8;
  const end = used + 1;
  let length: u32 = 0;
  let run: u32 = 0;
  let weight: u32 = 1;
  for (let group: u32 = 0; group < selectors; group++) {
    if (at > last) return fail(bits, count, at);
    const table = TABLES + <usize>load<u8>(SELECTORS + <usize>group) * TABLE_BYTES;
    for (let i: u32 = 0; i < GROUP; i++) {
      if (count <= 32) {
        bits |= <u64>bswap<u32>(load<u32>(at)) << (32 - count);
        at += 4;
        count += 32;
      }
      let entry: u32 = load<u16>(table + (<usize>(bits >> (64 - FAST_BITS)) << 1));
      if (entry === 0) {
        entry = longCode(table, <u32>(bits >> 44));
        if (entry === 0) return fail(bits, count, at);
      }
      bits <<= entry & 31;
      count -= entry & 31;
      const symbol = entry >>> 5;
      if (symbol < 2) {
        // The lengths of runs are numbers with the digits 1 and 2.
        run += weight << symbol;
        if (run > maxSize) return fail(bits, count, at);
        weight <<= 1;
        continue;
      }
      if (run > 0) {
        if (length + run > maxSize) return fail(bits, count, at);
        fillRun(length, run);
        length += run;
        run = 0;
        weight = 1;
      }
      if (symbol === end) {
        restore(bits, count, at);
        size = length;
        return consumedBits() <= lastBit;
      }
      if (length >= maxSize) return fail(bits, count, at);
      const byte = toFront(symbol - 1);
      store<u32>(CHAIN + <usize>length * 4, byte);
      countUp(byte, 1);
      length++;
    }
  }
  return fail(bits, count, at);
}

/** Stores how far the reader came: if that is behind the input, the error is that input is missing. */
function fail(bits: u64, count: u32, at: usize): bool {
  restore(bits, count, at);
  return false;
}

function countUp(byte: u32, by: u32): void {
  const at = COUNTS + <usize>byte * 4;
  store<u32>(at, load<u32>(at) + by);
}

function fillRun(from: u32, run: u32): void {
  const byte: u32 = load<u8>(RECENT);
  countUp(byte, run);
  let at = CHAIN + <usize>from * 4;
  const end = at + <usize>run * 4;
  for (; at < end; at += 4) store<u32>(at, byte);
}

/** Moves a byte of the list of recent ones to its front, eight places at a time, and returns it. */
function toFront(place: u32): u32 {
  const byte: u32 = load<u8>(RECENT + <usize>place);
  let rest = place;
  while (rest >= 8) {
    const at = RECENT + <usize>rest;
    store<u64>(at - 7, load<u64>(at - 8));
    rest -= 8;
  }
  const front = load<u64>(RECENT);
  const moved: u64 = u64.MAX_VALUE >> (56 - <u64>rest * 8);
  store<u64>(RECENT, (((front << 8) | byte) & moved) | (front & ~moved));
  return byte;
}

/** Adds the position of the following byte to each byte. */
function linkChain(): void {
  let sum: u32 = 0;
  for (let at = COUNTS; at < COUNTS + 1024; at += 4) {
    const count = load<u32>(at);
    store<u32>(at, sum);
    sum += count;
  }
  for (let i: u32 = 0; i < size; i++) {
    const counter = COUNTS + <usize>(load<u32>(CHAIN + <usize>i * 4) & 0xff) * 4;
    const to = load<u32>(counter);
    store<u32>(counter, to + 1);
    const link = CHAIN + <usize>to * 4;
    store<u32>(link, load<u32>(link) | (i << 8));
  }
}
