// Constants of asm/similarity. Generated: change them there, then run `npm run generate`.

/** How similarity is measured; any other number is the Euclidean distance. */
export const COSINE = 0;
export const DOT_PRODUCT = 1;
export const EUCLIDEAN = 2;
/** Bytes of a row of the forest, and the offsets of its fields. */
export const NODE = 32;
export const PARENT = 0;
export const BEST = 4;
export const SUM = 8;
export const PAIRS = 16;
