/** How similarity is measured; any other number is the Euclidean distance. */
export const COSINE: i32 = 0;
export const DOT_PRODUCT: i32 = 1;
export const EUCLIDEAN: i32 = 2;

/** Bytes of a row of the forest, and the offsets of its fields. */
export const NODE: u32 = 32;
export const PARENT: usize = 0;
export const BEST: usize = 4;
export const SUM: usize = 8;
export const PAIRS: usize = 16;
