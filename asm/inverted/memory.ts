// The allocator. Small chunks come in 160 size classes (steps of 8 bytes up to 512, which most blocks of postings have,
// then sixteen to a doubling, up to 32 KiB), each with a list of free chunks that are linked through their first word.
// If a class has no free chunk, one of a larger class is split; if there is none, new pages are used. Larger chunks are
// runs of whole pages, found by first fit. A chunk has no header: its owner knows how many bytes it requested, and
// passes that number when it frees the chunk.

import { FIRST_HEAP_PAGE, H_BUMP, H_BUMP_END, H_FREE_CLASSES, H_FREE_HINT, H_FREE_LISTS, H_FULL, H_PARTS, PAGE,
  PAGE_FREE, PAGE_KINDS, PAGE_LARGE, PAGE_SMALL } from './layout.ts';

const MAX_SMALL: u32 = 32768;
const MAX_PAGES: u32 = 65536;
const NO_CLASS: u32 = 0xffffffff;

/** Usable bytes of an allocation of `size` bytes. */
export function roomFor(size: u32): u32 {
  return size > MAX_SMALL ? pagesFor(size) * PAGE : classSize(classOf(size));
}

/** Allocates persistent memory for a part of the index (PART_*); its bytes are not cleared. */
export function allocate(size: u32, part: u32): usize {
  count(part, <i32>roomFor(size));
  if (size > MAX_SMALL) return allocatePages(pagesFor(size), PAGE_LARGE);
  const wanted = classOf(size);
  const found = freeClass(wanted);
  if (found === NO_CLASS) return bump(classSize(wanted));
  const chunk = popFree(found);
  if (found > wanted) divide(chunk + classSize(wanted), chunk + classSize(found));
  return chunk;
}

/**
 * Frees what `allocate(size, part)` returned; `size` may be any size with the same number of usable bytes. Address 0 is
 * allowed.
 */
export function release(address: usize, size: u32, part: u32): void {
  if (address === 0) return;
  count(part, -<i32>roomFor(size));
  if (size > MAX_SMALL) releasePages(address, pagesFor(size));
  else pushFree(address, classOf(size));
}

/** Moves an array to an allocation of its new size; bytes behind `oldSize` are zero. Address 0 is an empty array. */
export function resize(address: usize, oldSize: u32, newSize: u32, part: u32): usize {
  const moved = allocate(newSize, part);
  const kept = address === 0 ? 0 : min(oldSize, newSize);
  memory.copy(moved, address, kept);
  memory.fill(moved + kept, 0, newSize - kept);
  release(address, oldSize, part);
  return moved;
}

/** Allocates a run of whole pages of a kind; traps when the memory would pass 4 GiB. */
export function allocatePages(pages: u32, kind: u8): usize {
  let first = firstFit(pages);
  if (first === 0) first = grow(pages);
  memory.fill(PAGE_KINDS + first, kind, pages);
  return <usize>first * PAGE;
}

export function releasePages(address: usize, pages: u32): void {
  const first = <u32>(address / PAGE);
  assert(first >= FIRST_HEAP_PAGE && load<u8>(PAGE_KINDS + first) !== PAGE_FREE, 'pages that were not allocated');
  memory.fill(PAGE_KINDS + first, PAGE_FREE, pages);
  if (first < load<u32>(H_FREE_HINT)) store<u32>(H_FREE_HINT, first);
}

export function pagesFor(size: u32): u32 {
  return size / PAGE + <u32>(size % PAGE !== 0);
}

/** First page of a run of free pages, or 0. The last page stays free, so that reading ahead never leaves the memory. */
function firstFit(pages: u32): u32 {
  const end = <u32>memory.size();
  let start = skipUsed(load<u32>(H_FREE_HINT), end);
  store<u32>(H_FREE_HINT, start);
  while (start + pages < end) {
    let i = start;
    while (i < start + pages && load<u8>(PAGE_KINDS + i) === PAGE_FREE) i++;
    if (i === start + pages) return start;
    start = skipUsed(i, end);
  }
  return 0;
}

function skipUsed(page: u32, end: u32): u32 {
  while (page < end && load<u8>(PAGE_KINDS + page) !== PAGE_FREE) page++;
  return page;
}

/** Adds pages at the end, at least a sixteenth of the memory, and returns the first page of the free run there. */
function grow(pages: u32): u32 {
  const end = <u32>memory.size();
  let first = end;
  while (first > FIRST_HEAP_PAGE && load<u8>(PAGE_KINDS + first - 1) === PAGE_FREE) first--;
  const needed = pages + 1 - (end - first);
  const wanted = min(max(needed, end >> 4), MAX_PAGES - end);
  if (memory.grow(<i32>wanted) < 0 && memory.grow(<i32>needed) < 0) giveUp();
  if (first + pages >= <u32>memory.size()) giveUp();
  return first;
}

/** The host reads the reason from H_FULL. */
function giveUp(): void {
  store<u32>(H_FULL, 1);
  unreachable();
}

/** Cuts a chunk off the newest page of small chunks; the unused rest of the page before it becomes free chunks. */
function bump(size: u32): usize {
  let at = load<u32>(H_BUMP);
  if (load<u32>(H_BUMP_END) - at < size) {
    const page = <u32>allocatePages(1, PAGE_SMALL);
    if (page !== load<u32>(H_BUMP_END)) {
      divide(at, load<u32>(H_BUMP_END));
      at = page;
    }
    store<u32>(H_BUMP_END, page + PAGE);
  }
  store<u32>(H_BUMP, at + size);
  return at;
}

/** Turns the bytes between two addresses into free chunks, the largest first. */
function divide(from: u32, to: u32): void {
  while (to - from >= 8) {
    let c = classOf(min(to - from, MAX_SMALL));
    if (classSize(c) > to - from) c--;
    pushFree(from, c);
    from += classSize(c);
  }
}

function pushFree(address: usize, c: u32): void {
  const list = H_FREE_LISTS + (<usize>c << 2);
  const word = H_FREE_CLASSES + (<usize>(c >> 6) << 3);
  store<u32>(address, load<u32>(list));
  store<u32>(list, <u32>address);
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
    if (++word === 3) return NO_CLASS;
    bits = load<u64>(H_FREE_CLASSES + (<usize>word << 3));
  }
  return (word << 6) + <u32>ctz(bits);
}

/** Smallest class whose chunks hold `size` bytes, `size` <= MAX_SMALL. */
function classOf(size: u32): u32 {
  if (size <= 512) return size === 0 ? 0 : (size - 1) >> 3;
  const top = 31 - clz(size - 1);
  return 64 + ((top - 9) << 4) + (((size - 1) >> (top - 4)) & 15);
}

function classSize(c: u32): u32 {
  if (c < 64) return (c + 1) << 3;
  const top = 9 + ((c - 64) >> 4);
  return (1 << top) + (((c & 15) + 1) << (top - 4));
}

function count(part: u32, bytes: i32): void {
  const counter = H_PARTS + (<usize>part << 2);
  store<u32>(counter, load<u32>(counter) + <u32>bytes);
}
