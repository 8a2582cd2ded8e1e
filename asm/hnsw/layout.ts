// The layout of a graph in the memory of its segment.
//
//   graph            header below; functions here call its address `graph`
//   table            u32 addresses of blocks of 2^shift records, about a mebibyte each
//   record of a row  code: per dimension 7 bits in a byte, or 4 bits, two in a byte     (see codes.ts)
//                    square, total, lowest, step: f32 each                              (see codes.ts)
//                    address of the lists of the upper levels u32, 0 without any        from G_LINKS on
//                    whether the row is in the graph u32
//                    count of links u32, links u32 x G_MOST                             level 0, padded to 16
//
// Rows that are stored as int8 are codes already: their records begin with the fields from G_LINKS on (see
// row-codes.ts).
//
//   upper lists      for levels 1, 2, ...: count of links u32, links u32 x 16
//
// One thread writes; others read at the same time without locks. A record is complete before the first
// link to it is stored, and every list of a new row is complete before any other row links to it. A list is
// changed in place: a reader may see some links of the old list and some of the new one. All of them are rows of the
// graph, so the reader makes at most a detour. Links are stored atomically, after the records to which they lead.

import { allocate, release, roomFor } from '../vector/memory.ts';

/** Most links of a row at the upper levels; and most at level 0 of any graph, of which a new row gets half. */
export const M: u32 = 16;
export const M0: u32 = 32;

export const G_METRIC: usize = 0;
export const G_DIMS: usize = 4;
export const G_CODE_BYTES: usize = 8;
export const G_RECORD_BYTES: usize = 12;
/** Binary logarithm of the number of records in a block. */
export const G_SHIFT: usize = 16;
/** Rows below this one were inserted, or were skipped because they were dead. */
export const G_DONE: usize = 20;
/** Entry of all searches, read and written as one u64: row, and above it its level plus one (0: the graph is empty). */
export const G_ENTRY: usize = 24;
/** Rows that are in the graph. */
export const G_NODES: usize = 32;
export const G_BLOCKS: usize = 36;
/** Free part of the newest slab, for upper lists. */
export const G_SLAB: usize = 40;
export const G_SLAB_END: usize = 44;
/** The newest slab; each begins with the address of the previous one. */
export const G_SLABS: usize = 48;
/** Bytes that the graph has taken. */
export const G_BYTES: usize = 52;
/** Bits of a dimension in a code: 7 or 4; or 8, if the rows are codes themselves. */
export const G_BITS: usize = 56;
/** Offset in a record of the fields behind its code. */
export const G_LINKS: usize = 60;
/** Most links of a row at level 0; at most M0. */
export const G_MOST: usize = 64;
/** The table follows the header. */
export const G_TABLE: usize = 80;
export const MAX_BLOCKS: u32 = 8176;
export const GRAPH_BYTES: u32 = <u32>G_TABLE + MAX_BLOCKS * 4;

const BLOCK_TARGET: u32 = 1 << 20;
const SLAB_BYTES: u32 = 65536;

// From G_LINKS of a record on.
const R_UPPER: usize = 0;
const R_PRESENT: usize = 4;
const R_LIST: usize = 8;
/** Square, total, lowest and step. */
const CODE_TAIL: u32 = 16;
/** Bits of a graph without codes of its own: its rows are codes. */
export const ROWS_THEMSELVES: u32 = 8;
const UPPER_BYTES: usize = 4 + (<usize>M << 2);

/** Makes an empty graph in GRAPH_BYTES of memory, with at most `most` links of a row at level 0. */
export function initializeGraph(graph: usize, metric: u32, dims: u32, bits: u32, most: u32): void {
  const codeBytes = bits === 4 ? ((dims + 31) & ~31) >> 1 : (dims + 15) & ~15;
  const links = bits === ROWS_THEMSELVES ? 0 : codeBytes + CODE_TAIL;
  const listBytes = <u32>R_LIST + 4 + (most << 2);
  const size = bits === ROWS_THEMSELVES ? listBytes : (links + listBytes + 15) & ~15;
  let shift: u32 = 13;
  while (shift > 6 && (size << shift) > BLOCK_TARGET) shift--;
  memory.fill(graph, 0, GRAPH_BYTES);
  store<u32>(graph, metric, G_METRIC);
  store<u32>(graph, dims, G_DIMS);
  store<u32>(graph, bits, G_BITS);
  store<u32>(graph, links, G_LINKS);
  store<u32>(graph, most, G_MOST);
  store<u32>(graph, codeBytes, G_CODE_BYTES);
  store<u32>(graph, size, G_RECORD_BYTES);
  store<u32>(graph, shift, G_SHIFT);
  store<u32>(graph, GRAPH_BYTES, G_BYTES);
}

export function recordOf(graph: usize, row: u32): usize {
  return recordAt(graph, load<u32>(graph, G_SHIFT), load<u32>(graph, G_RECORD_BYTES), row);
}

/** The same, with values that a loop has read from the header before. */
export function recordAt(graph: usize, shift: u32, size: usize, row: u32): usize {
  const block = <usize>load<u32>(graph + (<usize>(row >> shift) << 2), G_TABLE);
  assert(block !== 0, 'a row without a record');
  return block + <usize>(row & ((1 << shift) - 1)) * size;
}

/** Makes space for the record of a row. Returns whether there is any. */
export function reserveRecord(graph: usize, row: u32): bool {
  const shift = load<u32>(graph, G_SHIFT);
  const block = row >> shift;
  if (block >= MAX_BLOCKS) return false;
  const entry = graph + G_TABLE + (<usize>block << 2);
  if (load<u32>(entry) !== 0) return true;
  const at = take(graph, load<u32>(graph, G_RECORD_BYTES) << shift);
  atomic.store<u32>(entry, <u32>at);
  if (block >= load<u32>(graph, G_BLOCKS)) store<u32>(graph, block + 1, G_BLOCKS);
  return at !== 0;
}

/** Allocates memory that is all zero; 0 if there is none. */
function take(graph: usize, bytes: u32): usize {
  const at = allocate(bytes);
  if (at === 0) return 0;
  store<u32>(graph, load<u32>(graph, G_BYTES) + roomFor(bytes), G_BYTES);
  memory.fill(at, 0, bytes);
  return at;
}

/** Frees all that the graph took, and the graph. */
export function releaseGraph(graph: usize): void {
  const bytes = load<u32>(graph, G_RECORD_BYTES) << load<u32>(graph, G_SHIFT);
  const blocks = load<u32>(graph, G_BLOCKS);
  for (let block: u32 = 0; block < blocks; block++) release(load<u32>(graph + (<usize>block << 2), G_TABLE), bytes);
  let slab = <usize>load<u32>(graph, G_SLABS);
  while (slab !== 0) {
    const next = <usize>load<u32>(slab);
    release(slab, SLAB_BYTES);
    slab = next;
  }
  release(graph, GRAPH_BYTES);
}

/** Whether a row was inserted; dead rows are skipped. */
export function inGraph(graph: usize, row: u32): bool {
  const shift = load<u32>(graph, G_SHIFT);
  if (load<u32>(graph + (<usize>(row >> shift) << 2), G_TABLE) === 0) return false;
  return load<u32>(recordOf(graph, row) + load<u32>(graph, G_LINKS), R_PRESENT) !== 0;
}

/** Marks a row as in the graph; `links` is G_LINKS here and below. */
export function enterGraph(record: usize, links: usize): void {
  store<u32>(record + links, 1, R_PRESENT);
}

/** A row's list of links at a level: their count, then the links. The row has that level. */
export function listOf(record: usize, links: usize, level: u32): usize {
  if (level === 0) return record + links + R_LIST;
  assert(load<u32>(record + links, R_UPPER) !== 0, 'a row without upper levels');
  return <usize>load<u32>(record + links, R_UPPER) + <usize>(level - 1) * UPPER_BYTES;
}

/** Makes the empty lists of a row at the levels above 0. Returns whether there is memory. */
export function addUpperLists(graph: usize, record: usize, links: usize, levels: u32): bool {
  const bytes = <u32>UPPER_BYTES * levels;
  let at = load<u32>(graph, G_SLAB);
  if (load<u32>(graph, G_SLAB_END) - at < bytes) {
    const slab = <u32>take(graph, SLAB_BYTES);
    if (slab === 0) return false;
    store<u32>(slab, load<u32>(graph, G_SLABS));
    store<u32>(graph, slab, G_SLABS);
    store<u32>(graph, slab + SLAB_BYTES, G_SLAB_END);
    at = slab + 4;
  }
  store<u32>(graph, at + bytes, G_SLAB);
  store<u32>(record + links, at, R_UPPER);
  return true;
}

/** The level of a row: it has level L or a higher one with probability 16^-L (1/M, as the paper advises). */
export function levelOf(row: u32): u32 {
  return <u32>min(ctz(mix(row)), 31) >> 2;
}

/** The finaliser of MurmurHash3, a bijection of 32 bits. */
function mix(row: u32): u32 {
  let x = row + 0x9e3779b9;
  x = (x ^ (x >> 16)) * 0x85ebca6b;
  x = (x ^ (x >> 13)) * 0xc2b2ae35;
  return x ^ (x >> 16);
}
