// Constants of asm/hnsw. Generated: change them there, then run `npm run generate`.

export const FOLLOWED = 1;
export const PROBE_HEAD = 16;
/** Most links of a row at the upper levels; and most at level 0 of any graph, half of which a new row gets. */
export const M = 16;
export const M0 = 32;
export const G_METRIC = 0;
export const G_DIMS = 4;
export const G_CODE_BYTES = 8;
export const G_RECORD_BYTES = 12;
/** Binary logarithm of the records of a block. */
export const G_SHIFT = 16;
/** Rows below this one were inserted, or were dead when their turn came. */
export const G_DONE = 20;
/** Entry of all searches, read and written as one u64: row, and above it its level plus one (0: the graph is empty). */
export const G_ENTRY = 24;
/** Rows that are in the graph. */
export const G_NODES = 32;
export const G_BLOCKS = 36;
/** Where upper lists are cut from. */
export const G_SLAB = 40;
export const G_SLAB_END = 44;
/** The newest slab; each begins with the address of the one before. */
export const G_SLABS = 48;
/** Bytes that the graph has taken. */
export const G_BYTES = 52;
/** Bits of a code of a dimension: 7 or 4; or 8, where the rows are codes themselves. */
export const G_BITS = 56;
/** Where that begins in a record which is no code. */
export const G_LINKS = 60;
/** Most links of a row at level 0, M0 or fewer. */
export const G_MOST = 64;
/** The table follows the header. */
export const G_TABLE = 80;
export const MAX_BLOCKS = 8176;
/** Of rows that are no codes of their own. */
export const ROWS_THEMSELVES = 8;
/** Bytes that a row takes at most. */
export const MAX_SAVED_BYTES = 612;
/** Probes: the query; a row whose list is pruned; a candidate in that. */
export const S_PROBE = 0;
export const S_OWNER = 4;
export const S_CANDIDATE = 8;
/** Bitmap of rows that were seen; all zero between calls but for its last bit, which stands for all rows that it has no bit for. */
export const S_SEEN = 16;
/** Rows that were seen, to clear the bitmap by, as long as there is room; the newest are the batch at hand. */
export const S_TRAIL = 24;
export const S_TRAIL_AT = 28;
/** Whether the trail was begun anew. */
export const S_TRAIL_LOST = 32;
/** The beam, and how many entries it may hold. */
export const S_BEAM = 36;
export const S_BEAM_ROOM = 40;
/** The heap of searches with a filter. */
export const S_HEAP = 44;
export const S_HEAP_ROOM = 48;
/** Rows that the last search looked at. */
export const S_SCANNED = 52;
export const SCRATCH_BYTES = 2048;
/** Distances of a batch, f32. */
export const S_DISTANCES = 64;
/** Rows that pruning has chosen. */
export const S_CHOSEN = 320;
/** A small beam for pruning. */
export const S_SMALL = 576;
/** A list of links and one more. */
export const S_LINKS = 1088;
export const TRAIL_BYTES = 65536;
/** Search failed for want of memory. */
export const NO_ROOM = 4294967295;
