// Constants of asm/hnsw. Generated: change them there, then run `npm run generate`.

export const FOLLOWED = 1;
export const PROBE_HEAD = 16;
/** Most links of a row at the upper levels; and most at level 0 of any graph, of which a new row gets half. */
export const M = 16;
export const M0 = 32;
export const G_METRIC = 0;
export const G_DIMS = 4;
export const G_CODE_BYTES = 8;
export const G_RECORD_BYTES = 12;
/** Binary logarithm of the number of records in a block. */
export const G_SHIFT = 16;
/** Rows below this one were inserted, or were skipped because they were dead. */
export const G_DONE = 20;
/** Entry of all searches, read and written as one u64: row, and above it its level plus one (0: the graph is empty). */
export const G_ENTRY = 24;
/** Rows that are in the graph. */
export const G_NODES = 32;
export const G_BLOCKS = 36;
/** Free part of the newest slab, for upper lists. */
export const G_SLAB = 40;
export const G_SLAB_END = 44;
/** The newest slab; each begins with the address of the previous one. */
export const G_SLABS = 48;
/** Bytes that the graph has taken. */
export const G_BYTES = 52;
/** Bits of a dimension in a code: 7 or 4; or 8, if the rows are codes themselves. */
export const G_BITS = 56;
/** Offset in a record of the fields behind its code. */
export const G_LINKS = 60;
/** Most links of a row at level 0; at most M0. */
export const G_MOST = 64;
/** The table follows the header. */
export const G_TABLE = 80;
export const MAX_BLOCKS = 8176;
/** Bits of a graph without codes of its own: its rows are codes. */
export const ROWS_THEMSELVES = 8;
/** The search failed because there is no memory. */
export const NO_ROOM = 4294967295;
/** The rows that pass are too far from the query for a search that takes no longer than one without a filter. */
export const UNFINISHED = 4294967294;
/** Most bytes of a row. */
export const MAX_SAVED_BYTES = 612;
/** Probes: the query; a row whose list is pruned; a candidate of that list. */
export const S_PROBE = 0;
export const S_OWNER = 4;
export const S_CANDIDATE = 8;
/**
 * Bitmap of rows that were seen; all zero between calls except its last bit, which stands for all rows beyond the
 * bitmap.
 */
export const S_SEEN = 16;
/** Rows that were seen, by which the bitmap is cleared, as far as they fit; the newest are the current batch. */
export const S_TRAIL = 24;
export const S_TRAIL_AT = 28;
/** Whether the trail overflowed and was restarted. */
export const S_TRAIL_LOST = 32;
/** The beam and its capacity in entries. */
export const S_BEAM = 36;
export const S_BEAM_ROOM = 40;
/** The heap of searches with a filter. */
export const S_HEAP = 44;
export const S_HEAP_ROOM = 48;
/** Number of rows that the last search compared. */
export const S_SCANNED = 52;
/** Place in the beam of the nearest row that the last batch has added. */
export const S_NEAREST = 56;
export const SCRATCH_BYTES = 2048;
/** Distances of a batch, f32. */
export const S_DISTANCES = 64;
/** Rows that pruning has chosen. */
export const S_CHOSEN = 320;
/** A small beam for pruning. */
export const S_SMALL = 576;
/** A list of links and one more row. */
export const S_LINKS = 1088;
export const TRAIL_BYTES = 65536;
