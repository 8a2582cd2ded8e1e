// Constants of asm/vector. Generated: change them there, then run `npm run generate`.

export const C_BITS = 0;
export const C_STRIDE = 4;
export const C_TABLE = 8;
export const C_UNIT = 12;
export const C_GROUP_BYTES = 16;
export const PAGE = 65536;
export const HEADER = 65536;
/** Addresses of the row blocks: u32 each. */
export const BLOCK_TABLE = 98304;
export const MAX_BLOCKS = 8192;
export const HEAP = 131072;
export const MAGIC = 826496593;
export const H_MAGIC = 65536;
export const H_DIMS = 65540;
/** How vectors are stored: TYPE_* in rows.ts. */
export const H_TYPE = 65544;
/** Bytes of a row's vector. */
export const H_STRIDE = 65548;
/** Binary logarithm of the rows of a block. */
export const H_SHIFT = 65552;
/** Offsets in a block of its ordinals, chunk numbers, inverse norms and live bits; bytes of the block. */
export const H_ORDS = 65556;
export const H_CHUNKS = 65560;
export const H_NORMS = 65564;
export const H_LIVE = 65568;
export const H_BLOCK_BYTES = 65572;
/** Number of complete rows: written last, atomically, so that a thread that reads it may read all rows below it. */
export const H_ROWS = 65600;
export const H_LIVE_ROWS = 65604;
export const H_BLOCKS = 65608;
/** First byte that was never allocated. */
export const H_TOP = 65664;
/** No chunk ends behind this address, except those that searches need temporarily. */
export const H_LIMIT = 65668;
/** Bytes that blocks of rows may take: the rest is for structures over them. */
export const H_ROW_LIMIT = 65672;
/** Bytes that are allocated by `allocate` and not released. */
export const H_ALLOCATED = 65728;
export const TYPE_F32 = 0;
export const TYPE_INT8 = 1;
export const TYPE_INT4 = 2;
/** Metrics; the host uses the same numbers. */
export const COSINE = 0;
export const DOT = 1;
export const EUCLIDEAN = 2;
/** Shorter vectors count as zero vectors: 1 / length would exceed the range of f32. */
export const SHORTEST = 1.1754943508222875e-38;
/**
 * If at least this many of 64 rows are selected, all are scored: the processor prefetches sequential reads, and
 * skipping single rows costs more than it saves.
 */
export const DENSE = 16;
/**
 * A product of query and row without the lower planes is P_PRODUCT x the product with the upper planes + P_SUM x sum +
 * P_CONSTANT.
 */
export const P_PRODUCT = 16;
export const P_SUM = 20;
export const P_CONSTANT = 24;
/** Length of the vector of the lower planes minus their mean. */
export const P_REST = 28;
export const P_PLANES = 64;
/** Distance from the current scores to their factors. */
export const FACTORS = 512;
/** Bytes of an entry, and the offsets of its row and its score. */
export const ENTRY_BYTES = 16;
export const E_ROW = 8;
export const E_SCORE = 12;
/** The kinds of heaps: the best rows. */
export const ROWS = 0;
/** Only the best row of each document; the rows of a document must be consecutive. */
export const DOCUMENTS = 1;
/**
 * Rows whose scores are estimates: equal scores are ordered by row, so that no ordinal has to be fetched for rows that
 * are replaced later. They can only be drained, not closed.
 */
export const CANDIDATES = 2;
/**
 * Before a scan for many candidates, one of so many rows is looked at, to find a bar that about twice the wanted number
 * of rows reach.
 */
export const SAMPLED = 16;
