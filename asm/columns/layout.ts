// The layout of the memory of the columns of one collection. The module keeps no state outside it, so that a copy of
// the memory is the columns (a checkpoint), and any instance can use it.
//
//     0 .. 32 KiB   static data of the module (messages of assertions)
//     HEADER        named fields below
//     HEAP ..       what the allocator of `memory.ts` returns
//
// Addresses and lengths are u32, little endian, and 0 stands for "none". Documents are identified by slots (see
// `slots.ts`), values by numbers from 1 (see `dictionary.ts`); each column numbers its own values.

export const PAGE: u32 = 65536;
export const HEADER: usize = 0x8000;
export const HEAP: usize = HEADER + 0x800;

export const MAGIC: u32 = 0x31434c51; // "QLC1"
/** Changes with every change of the layout; a checkpoint of another layout is rebuilt. */
export const LAYOUT: u32 = 1;

export const H_MAGIC: usize = HEADER;
export const H_LAYOUT: usize = HEADER + 4;
/** End of the allocated memory. */
export const H_TOP: usize = HEADER + 8;
/** Set when the memory could not grow as much as needed. */
export const H_FULL: usize = HEADER + 12;
/** Bytes in use by part (see PART_*), 4 x u32. */
export const H_PARTS: usize = HEADER + 16;
/** Size classes that have free chunks, a bit each, 4 x u64. */
export const H_FREE_CLASSES: usize = HEADER + 32;
/** Set while a checkpoint is read: chunks are then allocated at the end of the memory only. */
export const H_FROZEN: usize = HEADER + 64;
/**
 * Number of blocks of slots, the array of their blocks of ordinals, its capacity, and a bitmap of the slots that have a
 * document.
 */
export const H_BLOCKS: usize = HEADER + 72;
export const H_BLOCK_ORDS: usize = HEADER + 76;
export const H_BLOCK_CAPACITY: usize = HEADER + 80;
export const H_LIVE: usize = HEADER + 84;
/** Blocks without documents, linked through H_BLOCK_ORDS; one more than the first. */
export const H_FREE_BLOCK: usize = HEADER + 88;
/** Maps blocks of ordinals to blocks of slots: directory of pages, and its capacity. */
export const H_ORD_PAGES: usize = HEADER + 92;
export const H_ORD_PAGE_CAPACITY: usize = HEADER + 96;
export const H_DOCS: usize = HEADER + 100;
/** Pairs of a document and a metadata value. */
export const H_PAIRS: usize = HEADER + 104;
/** Columns of dictionaries (see `dictionary.ts`): address, number, capacity. */
export const H_COLUMNS: usize = HEADER + 108;
export const H_COLUMN_COUNT: usize = HEADER + 112;
export const H_COLUMN_CAPACITY: usize = HEADER + 116;
/** Columns of times (see `times.ts`), 4 x (directory, its capacity); the last one is always empty. */
export const H_TIMES: usize = HEADER + 120;
/** Ordinals of documents are below it. */
export const H_ORD_END: usize = HEADER + 152;
/** Number of runs of blocks in B_RUNS; 0 if they are not computed. */
export const H_RUNS: usize = HEADER + 156;
/** Columns whose values are sliced (see `slices.ts`), u32 each. */
export const H_SLICED: usize = HEADER + 160;
export const MAX_SLICED: u32 = 8;
/** Heads of the lists of free chunks by size class, 224 x u32. */
export const H_FREE_LISTS: usize = HEADER + 256;
/** Buffers that grow (see `scratch.ts`), 96 x 8 bytes: address, bytes. */
export const H_BUFFERS: usize = HEADER + 1152;

/**
 * Buffers that were replaced while the memory was frozen and have to be freed: 16 x (address, bytes), and their number.
 */
export const H_LEFT: usize = HEADER + 1920;
export const H_LEFT_COUNT: usize = HEADER + 68;
export const MAX_LEFT: u32 = 16;

// Parts of the memory accounting.
export const PART_DICTIONARIES: u32 = 0;
export const PART_BITMAPS: u32 = 1;
export const PART_COLUMNS: u32 = 2;
export const PART_SCRATCH: u32 = 3;
