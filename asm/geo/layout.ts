// The layout of the memory of the places of one collection. The module keeps no state outside it.
//
//     0 .. 32 KiB   static data of the module (messages of assertions)
//     HEADER        named fields below; the fields of the allocator are where `columns/layout.ts` has them
//     HEAP ..       what the allocator of `columns/memory.ts` returns: nodes, the table of documents, buffers
//
// The places are in the leaves of one tree, a B+-tree in the order of their geohashes (the interleaved bits of
// longitude and latitude, Morton 1966), whose nodes also have the box around everything below them. So it can be walked
// by boxes, as an R-tree (Kamel and Faloutsos, "Hilbert R-tree", 1994, with another curve), or by ranges of geohashes.
// A box has five dimensions: x, y and z of the points on a globe of radius 1, in which neither poles nor the 180th
// meridian are special, and latitude and longitude in degrees.
//
//     node:  u32 count   u32 parent, 0 for the root   u32 level, 0 for a leaf   u32 -
//     leaf:  68 x u32 ord   68 x f64 lat   68 x f64 lng   68 x f64 x   68 x f64 y   68 x f64 z
//     inner: 32 x u64 least geohash (the first child's is not read)   32 x u32 child   32 x box
//     box:   5 x f64 least   5 x f64 greatest
//
// Points of a leaf are in no order. Geohashes below a child are at least the child's own least geohash, and at most
// that of the next child.

import { HEADER, HEAP } from '../columns/layout.ts';

export { HEAP };

export const LEAF_ROOM: u32 = 68;
export const INNER_ROOM: u32 = 32;
export const NODE_BYTES: u32 = 3072;

export const N_PARENT: usize = 4;
export const N_LEVEL: usize = 8;

export const L_ORDS: usize = 16;
export const L_LAT: usize = 288;
export const L_LNG: usize = 832;
export const L_X: usize = 1376;
export const L_Y: usize = 1920;
export const L_Z: usize = 2464;

export const I_KEYS: usize = 16;
export const I_CHILDREN: usize = 272;
export const I_BOXES: usize = 400;

export const DIMENSIONS: u32 = 5;
export const BOX_BYTES: usize = 80;
/** Offset from the least values of a box to the greatest. */
export const B_MAX: usize = 40;
/** Offsets of latitude and longitude in a box. */
export const B_LAT: usize = 24;
export const B_LNG: usize = 32;

// The fields from HEADER + 72 on are fields of the columns, which this module does not have.
export const H_ROOT: usize = HEADER + 72;
export const H_POINTS: usize = HEADER + 76;
/** One more than the greatest ordinal that was ever stored. */
export const H_ORD_END: usize = HEADER + 80;
/** The table of documents: address of its 256 parts (see `places.ts`). */
export const H_PLACES: usize = HEADER + 84;
/** What the host writes to and reads from: address and bytes of its buffers, see `buffers.ts`. */
export const H_BUFFERS: usize = HEADER + 1152;

/** The current query, see `query.ts`. */
export const QUERY: usize = HEADER + 1280;

// Parts of the memory accounting.
export const PART_NODES: u32 = 0;
export const PART_PLACES: u32 = 1;
export const PART_BUFFERS: u32 = 3;
