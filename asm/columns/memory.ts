// The allocator. Chunks come in 208 size classes (steps of 8 bytes up to 128, then eight to a doubling), each with a
// list of free chunks that are linked through their first word. If a class has no free chunk, one of a larger class is
// split; if there is none, a chunk is taken from the end of the memory. A chunk has no header: its owner knows how many
// bytes it requested, and passes that number when it frees the chunk.

import { H_FREE_CLASSES, H_FREE_LISTS, H_FROZEN, H_FULL, H_PARTS, H_TOP, PAGE } from './layout.ts';

const MAX_PAGES: u32 = 65536;
const NO_CLASS: u32 = 0xffffffff;
/**
 * Strings are read eight bytes at a time, bitmaps sixteen: this many bytes behind the last chunk belong to the memory.
 */
const BEHIND: u64 = 64;

/** Usable bytes of an allocation of `size` bytes. */
export function roomFor(size: u32): u32 {
  return classSize(classOf(size));
}

/** Allocates memory for a part (PART_*), at a multiple of eight; its bytes are not cleared. */
export function allocate(size: u32, part: u32): usize {
  const wanted = classOf(size);
  count(part, <i32>classSize(wanted));
  if (load<u32>(H_FROZEN) !== 0) return extend(classSize(wanted));
  const found = freeClass(wanted);
  if (found === NO_CLASS) return extend(classSize(wanted));
  const chunk = popFree(found);
  if (found > wanted) divide(chunk + classSize(wanted), chunk + classSize(found));
  return chunk;
}

/** The same, zeroed. */
export function allocateZeroed(size: u32, part: u32): usize {
  const chunk = allocate(size, part);
  memory.fill(chunk, 0, roomFor(size));
  return chunk;
}

/**
 * Frees what `allocate(size, part)` returned; `size` may be any size with the same number of usable bytes. Address 0 is
 * allowed.
 */
export function release(address: usize, size: u32, part: u32): void {
  if (address === 0) return;
  count(part, -<i32>roomFor(size));
  pushFree(<u32>address, classOf(size));
}

/** Moves an array to an allocation of its new size; bytes behind `oldSize` are zero. Address 0 is an empty array. */
export function resize(address: usize, oldSize: u32, newSize: u32, part: u32): usize {
  const moved = allocate(newSize, part);
  const kept = address === 0 ? 0 : min(oldSize, newSize);
  if (kept > 0) memory.copy(moved, address, kept);
  memory.fill(moved + kept, 0, newSize - kept);
  release(address, oldSize, part);
  return moved;
}

/** Allocates a chunk at the end of the memory, which grows as needed; traps if it would exceed 4 GiB. */
function extend(size: u32): usize {
  const at = load<u32>(H_TOP);
  const end = <u64>at + size + BEHIND;
  const room = <u64>memory.size() * PAGE;
  if (end > room) {
    const needed = <u32>((end - room + PAGE - 1) / PAGE);
    const wanted = min(max(needed, <u32>memory.size() >> 3), MAX_PAGES - <u32>memory.size());
    if (needed > wanted || (memory.grow(<i32>wanted) < 0 && memory.grow(<i32>needed) < 0)) {
      store<u32>(H_FULL, 1);
      unreachable();
    }
  }
  store<u32>(H_TOP, at + size);
  return at;
}

/** Turns the bytes between two addresses into free chunks, the largest first. */
function divide(from: u32, to: u32): void {
  while (to - from >= 8) {
    let c = classOf(to - from);
    if (classSize(c) > to - from) c--;
    pushFree(from, c);
    from += classSize(c);
  }
}

function pushFree(address: u32, c: u32): void {
  const list = H_FREE_LISTS + (<usize>c << 2);
  const word = H_FREE_CLASSES + (<usize>(c >> 6) << 3);
  store<u32>(address, load<u32>(list));
  store<u32>(list, address);
  store<u64>(word, load<u64>(word) | (<u64>1 << (c & 63)));
}

function popFree(c: u32): u32 {
  const list = H_FREE_LISTS + (<usize>c << 2);
  const word = H_FREE_CLASSES + (<usize>(c >> 6) << 3);
  const head = load<u32>(list);
  const next = load<u32>(head);
  store<u32>(list, next);
  if (next === 0) store<u64>(word, load<u64>(word) & ~(<u64>1 << (c & 63)));
  return head;
}

/** The smallest class, from one on, that has a free chunk. */
function freeClass(c: u32): u32 {
  let word = c >> 6;
  let bits = load<u64>(H_FREE_CLASSES + (<usize>word << 3)) & (~(<u64>0) << (c & 63));
  while (bits === 0) {
    if (++word === 4) return NO_CLASS;
    bits = load<u64>(H_FREE_CLASSES + (<usize>word << 3));
  }
  return (word << 6) + <u32>ctz(bits);
}

/** Smallest class whose chunks hold `size` bytes. */
function classOf(size: u32): u32 {
  if (size <= 128) return size === 0 ? 0 : (size - 1) >> 3;
  const top = 31 - clz(size - 1);
  return 16 + ((top - 7) << 3) + (((size - 1) >> (top - 3)) & 7);
}

function classSize(c: u32): u32 {
  if (c < 16) return (c + 1) << 3;
  const top = 7 + ((c - 16) >> 3);
  return (1 << top) + ((((c - 16) & 7) + 1) << (top - 3));
}

function count(part: u32, bytes: i32): void {
  const counter = H_PARTS + (<usize>part << 2);
  store<u32>(counter, load<u32>(counter) + <u32>bytes);
}
