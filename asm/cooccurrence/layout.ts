// The layout of the memory of one count. Pages that were never written take no memory, so a small text takes a
// few pages; the largest takes about 300 MiB.
//
//       0       static data of the module (messages of assertions)
//      64 KiB   the header: named fields below
//     128 KiB   tokens that the host writes, 65,536 x u32
//       1 MiB   occurrences by term, 2^20 x u32
//       5 MiB   number of the list of best neighbours by term, 2^20 x u32
//       9 MiB   pairs by term (its marginal), 2^20 x u64
//      17 MiB   the table of pairs, while it has 4^n slots, at most 2^22 x 16 bytes
//      81 MiB   the table of pairs, while it has 2 x 4^n slots, at most 2^23 x 16 bytes
//     209 MiB   lists of best neighbours, 88 bytes each

/** A token makes pairs with this many tokens before it: any two of five consecutive tokens. */
export const REACH: u32 = 4;
/** Best neighbours of a term. */
export const BEST: u32 = 5;
/** In a list of best neighbours (best.ts): offset of the first one, and bytes of each. */
export const FIRST: usize = 8;
export const ENTRY: usize = 16;
/** Terms with fewer occurrences have no neighbours and are none. */
export const MIN_OCCURRENCES: u32 = 2;

export const MAX_TERMS: u32 = 1 << 20;
export const MIN_SLOTS: u32 = 1 << 4;
export const MAX_SLOTS: u32 = 1 << 23;
export const FIRST_SLOTS: u32 = 1 << 10;

export const TOKEN_ROOM: u32 = 1 << 16;

const MIB: usize = 1 << 20;

export const HEADER: usize = 0x10000;
/** Address of the table, its slots (a power of two), the number of used slots, and the most slots. */
export const H_TABLE: usize = HEADER;
export const H_SLOTS: usize = HEADER + 4;
export const H_USED: usize = HEADER + 8;
export const H_MAX_SLOTS: usize = HEADER + 12;
/** Number of the current document. */
export const H_DOCUMENT: usize = HEADER + 16;
/** Number of occurrences of pairs, u64. */
export const H_PAIRS: usize = HEADER + 24;

export const TOKENS: usize = 0x20000;
export const COUNTS: usize = 1 * MIB;
export const LISTS: usize = 5 * MIB;
export const MARGINALS: usize = 9 * MIB;
export const EVEN_TABLE: usize = 17 * MIB;
export const ODD_TABLE: usize = 81 * MIB;
export const NEIGHBOURS: usize = 209 * MIB;
