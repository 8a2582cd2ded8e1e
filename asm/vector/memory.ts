// The layout of the memory of one segment, and its allocator. A segment holds vectors of one dimension and one stored
// type. Its memory is shared: several modules (`vectors`, and the modules of the graph and of the clusters) are
// instantiated over it, on the main thread and in workers, and keep no state outside it.
//
//     page 0     static data of the modules (messages of assertions), each at its own place, see build-kernels.ts
//     page 1     the header: the fields below, lists of free chunks, and the table of row blocks
//     page 2 ..  allocated memory, up to H_TOP
//
// Every function here may be called by any thread at any time. Chunks are aligned to 64 bytes. `reserve` is for data
// that live as long as the segment (row blocks): it wastes nothing, and its memory is never freed. `allocate` and
// `release` are for everything else: sizes are rounded up to one of sixteen classes per doubling, and each class has a
// lock-free list of free chunks. Free chunks are neither split nor joined, so structures that grow should use blocks of
// equal size, which later structures can reuse. Memory that is wasted nevertheless is freed with the segment, when
// compaction moves the live rows to a new one.

export const PAGE: u32 = 65536;
export const HEADER: usize = 0x1_0000;
/** Addresses of the row blocks: u32 each. */
export const BLOCK_TABLE: usize = 0x1_8000;
export const MAX_BLOCKS: u32 = 8192;
export const HEAP: u32 = 0x2_0000;

export const MAGIC: u32 = 0x31435651; // "QVC1"

export const H_MAGIC: usize = HEADER;
export const H_DIMS: usize = HEADER + 4;
/** How vectors are stored: TYPE_* in rows.ts. */
export const H_TYPE: usize = HEADER + 8;
/** Bytes of a row's vector. */
export const H_STRIDE: usize = HEADER + 12;
/** Binary logarithm of the rows of a block. */
export const H_SHIFT: usize = HEADER + 16;
/** Offsets in a block of its ordinals, chunk numbers, inverse norms and live bits; bytes of the block. */
export const H_ORDS: usize = HEADER + 20;
export const H_CHUNKS: usize = HEADER + 24;
export const H_NORMS: usize = HEADER + 28;
export const H_LIVE: usize = HEADER + 32;
export const H_BLOCK_BYTES: usize = HEADER + 36;
/** Number of complete rows: written last, atomically, so that a thread that reads it may read all rows below it. */
export const H_ROWS: usize = HEADER + 64;
export const H_LIVE_ROWS: usize = HEADER + 68;
export const H_BLOCKS: usize = HEADER + 72;
/** First byte that was never allocated. */
export const H_TOP: usize = HEADER + 128;
/** No chunk ends behind this address, except those that searches need temporarily. */
export const H_LIMIT: usize = HEADER + 132;
/** Bytes that blocks of rows may take: the rest is for structures over them. */
export const H_ROW_LIMIT: usize = HEADER + 136;
/** Bytes that are allocated by `allocate` and not released. */
export const H_ALLOCATED: usize = HEADER + 192;
/**
 * 512 lists, each u32 address of the first free chunk (0: none), u32 number of changes. A chunk starts with the address
 * of the next one.
 */
const H_FREE: usize = HEADER + 0x400;

/** Bytes behind the limit for searches only, so that a full segment can still be searched. */
const SCRATCH: u32 = 0x1000_0000;

/** Allocates bytes that are never freed, zero and aligned to 64. Returns 0 if the segment is full. */
export function reserve(bytes: u32): usize {
  return moveTop(bytes, load<u32>(H_LIMIT));
}

function moveTop(bytes: u32, limit: u32): usize {
  if (bytes > 0xffff_ffc0) return 0;
  const size = (bytes + 63) & ~63;
  while (true) {
    const top = atomic.load<u32>(H_TOP);
    if (top > limit || size > limit - top) return 0;
    if (!growTo(top + size)) return 0;
    if (atomic.cmpxchg<u32>(H_TOP, top, top + size) === top) return top;
  }
}

/** Allocates bytes until `release`; they are not cleared. Returns 0 if the segment is full. */
export function allocate(bytes: u32): usize {
  return take(bytes, load<u32>(H_LIMIT));
}

/** The same for memory that a search needs while it runs: a full segment has reserved memory for that. */
export function allocateScratch(bytes: u32): usize {
  return take(bytes, load<u32>(H_LIMIT) + SCRATCH);
}

function take(bytes: u32, limit: u32): usize {
  const c = classOf(bytes);
  let at = pop(c);
  if (at === 0) at = moveTop(classSize(c), limit);
  if (at !== 0) atomic.add<u32>(H_ALLOCATED, classSize(c));
  return at;
}

/** Frees what `allocate(bytes)` returned; it must not be read any more. Address 0 is allowed. */
export function release(address: usize, bytes: u32): void {
  if (address === 0) return;
  assert((address & 63) === 0 && address >= HEAP && address < atomic.load<u32>(H_TOP),
    'a chunk that was not allocated');
  const c = classOf(bytes);
  atomic.sub<u32>(H_ALLOCATED, classSize(c));
  push(c, <u32>address);
}

/** Usable bytes of what `allocate(bytes)` returns. */
export function roomFor(bytes: u32): u32 {
  return classSize(classOf(bytes));
}

/** Whether the memory reaches `end` now; it grows by at least a sixteenth. Untouched pages cost nothing. */
function growTo(end: u32): bool {
  while (true) {
    const pages = <u32>memory.size();
    const needed = (end + (PAGE - 1)) / PAGE;
    if (needed <= pages) return true;
    const wanted = min(max(needed - pages, pages >> 4), PAGE - pages);
    if (memory.grow(<i32>wanted) < 0 && memory.grow(<i32>(needed - pages)) < 0 && <u32>memory.size() < needed)
      return false;
  }
}

/** Smallest class whose chunks hold `bytes`. */
function classOf(bytes: u32): u32 {
  const units = (max(bytes, 1) - 1) >> 6; // one fewer than needed
  if (units < 16) return units;
  const top = 31 - clz(units);
  return 16 + ((top - 4) << 4) + ((units >> (top - 4)) & 15);
}

function classSize(c: u32): u32 {
  if (c < 16) return (c + 1) << 6;
  const top = 4 + ((c - 16) >> 4);
  return ((1 << top) + ((((c - 16) & 15) + 1) << (top - 4))) << 6;
}

// The lists are Treiber's stacks ("Systems programming: coping with parallelism", IBM RJ 5118, 1986). Because of the
// number of changes beside the address, an exchange fails if the chunk was taken and put back in between.

function push(c: u32, address: u32): void {
  const list = H_FREE + (<usize>c << 3);
  while (true) {
    const head = atomic.load<u64>(list);
    atomic.store<u32>(address, <u32>head);
    if (atomic.cmpxchg<u64>(list, head, (((head >> 32) + 1) << 32) | <u64>address) === head) return;
  }
}

function pop(c: u32): usize {
  const list = H_FREE + (<usize>c << 3);
  while (true) {
    const head = atomic.load<u64>(list);
    const address = <u32>head;
    if (address === 0) return 0;
    const next = atomic.load<u32>(address);
    if (atomic.cmpxchg<u64>(list, head, (((head >> 32) + 1) << 32) | <u64>next) === head) return address;
  }
}
