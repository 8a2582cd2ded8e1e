// Constants of asm/cooccurrence. Generated: change them there, then run `npm run generate`.

/** Offsets in an entry. */
export const B_COUNT = 4;
export const B_RATIO = 8;
/** A token makes pairs with this many tokens before it: any two of five consecutive tokens. */
export const REACH = 4;
/** Best neighbours of a term. */
export const BEST = 5;
/** In a list of best neighbours (best.ts): offset of the first one, and bytes of each. */
export const FIRST = 8;
export const ENTRY = 16;
/** Terms with fewer occurrences have no neighbours and are none. */
export const MIN_OCCURRENCES = 2;
export const MAX_TERMS = 1048576;
export const MIN_SLOTS = 16;
export const MAX_SLOTS = 8388608;
export const FIRST_SLOTS = 1024;
export const TOKEN_ROOM = 65536;
export const HEADER = 65536;
/** Address of the table, its slots (a power of two), the number of used slots, and the most slots. */
export const H_TABLE = 65536;
export const H_SLOTS = 65540;
export const H_USED = 65544;
export const H_MAX_SLOTS = 65548;
/** Number of the current document. */
export const H_DOCUMENT = 65552;
/** Number of occurrences of pairs, u64. */
export const H_PAIRS = 65560;
export const TOKENS = 131072;
export const COUNTS = 1048576;
export const LISTS = 5242880;
export const MARGINALS = 9437184;
export const EVEN_TABLE = 17825792;
export const ODD_TABLE = 84934656;
export const NEIGHBOURS = 219152384;
export const P_LARGER = 4;
export const P_COUNT = 8;
export const P_DOCUMENT = 12;
/** Bit of a pair that occurs in several documents. */
export const SEVERAL = 2147483648;
