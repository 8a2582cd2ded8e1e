// The layout of the memory of the sparse vectors of one collection. The module keeps no state outside it.
//
//     0 .. 32 KiB   static data of the module (messages of assertions)
//     HEADER        named fields below; the fields of the allocator are where `columns/layout.ts` has them, those of
//                   the table of documents and of the buffers where `geo/layout.ts` has them
//     HEAP ..       what the allocator of `columns/memory.ts` returns: blocks, searches, buffers
//
// Documents are in blocks of up to MAX_DOCS. A block has a slot for each of its documents, and an inverted list for
// each dimension in which one of them has a value. Lists never change: a document that is removed or replaced only
// loses its ordinal, and blocks are joined into new ones (the logarithmic method; Bentley and Saxe, "Decomposable
// searching problems", 1980). So a block is small enough to be written anew in some milliseconds, and to be scored in
// the processor's nearest caches.
//
//     block:      header, 32 bytes   docs x u32 ord, or NO_ORD   directory   lists
//     directory:  lists x (u32 dimension, ascending, u32 number of values before the list)   u32 -   u32 all values
//     list:       its f32 values   their u16 slots, ascending

import { HEADER, HEAP } from '../columns/layout.ts';

export { HEAP };

/** Most documents of a block. */
export const MAX_DOCS: u32 = 8192;
/** Most values of a block of several documents. */
export const MAX_BLOCK_VALUES: u32 = 1 << 20;
/** Most values of a document. */
export const MAX_VALUES: u32 = 1 << 16;

export const B_DOCS: usize = 0;
/** Documents that still have their ordinal. */
export const B_LIVE: usize = 4;
export const B_LISTS: usize = 8;
/** Values of all lists, including those of removed documents. */
export const B_VALUES: usize = 12;
export const B_BYTES: usize = 16;
/** All ordinals of the block are from B_LEAST to B_GREATEST. */
export const B_LEAST: usize = 20;
export const B_GREATEST: usize = 24;
/** Next of the retired blocks. */
export const B_NEXT: usize = 28;
export const BLOCK_HEADER: u32 = 32;

/** Bytes of a list in the directory, offset of the number of values before it, and bytes of a value with its slot. */
export const ENTRY: u32 = 8;
export const E_START: usize = 4;
export const VALUE: u32 = 6;

/** The ordinal of a removed document. */
export const NO_ORD: u32 = 0xffffffff;

// The fields from HEADER + 72 on are fields of the columns, which this module does not have.
export const H_DOCUMENTS: usize = HEADER + 72;
/** One more than the greatest ordinal that was ever stored. */
export const H_ORD_END: usize = HEADER + 80;
/** The table of blocks: address, number, capacity. */
export const H_BLOCKS: usize = HEADER + 88;
export const H_BLOCK_COUNT: usize = HEADER + 92;
export const H_BLOCK_ROOM: usize = HEADER + 96;
/** Whether a checkpoint reads blocks: those that are replaced are kept until it is done, in a list. */
export const H_HELD: usize = HEADER + 100;
export const H_RETIRED: usize = HEADER + 104;
/** Values and lists that changes have gone through since the host asked. */
export const H_WORK: usize = HEADER + 108;

// Buffers, see `geo/buffers.ts`.
/** A vector from the host: u32 dimensions, ascending, then f32 values. */
export const B_INPUT: u32 = 0;
/** Scores of the documents of a block; UNTOUCHED between two blocks. */
export const B_SCORES: u32 = 1;
/** New slots of the documents of blocks that are joined, u16 each. */
export const B_SLOTS: u32 = 2;

// Parts of the memory accounting.
export const PART_BLOCKS: u32 = 0;
export const PART_SEARCHES: u32 = 2;
