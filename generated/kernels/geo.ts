// Constants of asm/geo. Generated: change them there, then run `npm run generate`.

/** Points to store: (u32 ord, u32 -, f64 lat, f64 lng) each. */
export const B_INPUT = 0;
/** Bitmap of ordinals that a query may find. */
export const B_FILTER = 1;
/** Results of a query: 16 bytes each. */
export const B_FOUND = 2;
/** Working memory of splits, of walks, and of counts by cell. */
export const B_SPLIT = 3;
export const B_ORDER = 4;
export const B_CELLS = 5;
export const BUFFERS = 6;
export const W_KIND = 34160;
export const W_RANGES = 34164;
export const W_BEGUN = 34168;
export const W_LEVEL = 34172;
export const W_TOP = 34176;
export const W_STEPS = 34180;
export const W_BY_HASHES = 34184;
export const ENTRY = 16;
export const F_COUNT = 512;
export const F_VISITED = 516;
export const F_GREATEST = 520;
/** Bytes of B_ORDER. */
export const ORDER_BYTES = 7488;
export const MOST_CELLS = 16;
export const KEY_BITS = 60;
export const LEAF_ROOM = 68;
export const INNER_ROOM = 32;
export const NODE_BYTES = 3072;
export const N_PARENT = 4;
export const N_LEVEL = 8;
export const L_ORDS = 16;
export const L_LAT = 288;
export const L_LNG = 832;
export const L_X = 1376;
export const L_Y = 1920;
export const L_Z = 2464;
export const I_KEYS = 16;
export const I_CHILDREN = 272;
export const I_BOXES = 400;
export const DIMENSIONS = 5;
export const BOX_BYTES = 80;
/** Offset from the least values of a box to the greatest. */
export const B_MAX = 40;
/** Offsets of latitude and longitude in a box. */
export const B_LAT = 24;
export const B_LNG = 32;
export const H_ROOT = 32840;
export const H_POINTS = 32844;
/** One more than the greatest ordinal that was ever stored. */
export const H_ORD_END = 32848;
/** The table of documents: address of its 256 parts (see `places.ts`). */
export const H_PLACES = 32852;
/** What the host writes to and reads from: address and bytes of its buffers, see `buffers.ts`. */
export const H_BUFFERS = 33920;
/** The current query, see `query.ts`. */
export const QUERY = 34048;
export const PART_NODES = 0;
export const PART_PLACES = 1;
export const PART_BUFFERS = 3;
export const Q_X = 34048;
export const Q_Y = 34056;
export const Q_Z = 34064;
export const Q_CHORD = 34072;
export const Q_LAT = 34080;
export const Q_LNG = 34096;
export const Q_LIMIT = 34144;
export const Q_FILTER_WORDS = 34148;
export const Q_FOUND = 34152;
export const Q_INTERVAL = 34156;
export const Q_BYTES = 34192;
export const Q_SHIFT = 34196;
export const Q_MOST = 34200;
export const Q_COMPARED = 34204;
export const QUERY_BYTES = 160;
/** Used instead of the number of an interval. */
export const ANY = 4294967295;
export const NO_FILTER = 4294967295;
export const INTERVALS = 3;
/**
 * Bytes of a result: only the ordinal, near a point (f64 square of the chord, u32 ord), and in a box (u32 ord, u32 -,
 * f64 lat, f64 lng).
 */
export const ORD = 4;
export const NEAR = 16;
export const INSIDE = 24;
/** Offset of the ordinal, or of the number of documents of a cell, in a result of NEAR bytes. */
export const NEAR_ORD = 8;
export const EDGE = 40;
/** Offsets of the ring and the part of an edge. */
export const E_RING = 32;
export const E_PART = 36;
/**
 * Finds what is near, in no order; the nearest, in order; what is in a box; the same with its places; how many are in
 * each cell.
 */
export const WALK_CIRCLE = 0;
export const WALK_NEAREST = 1;
export const WALK_BOX = 2;
export const WALK_PLACES = 3;
export const WALK_CELLS = 4;
