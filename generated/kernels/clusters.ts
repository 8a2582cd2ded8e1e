// Constants of asm/clusters. Generated: change them there, then run `npm run generate`.

export const B_METRIC = 0;
export const B_DIMS = 4;
export const B_PARTS = 8;
/** Rows below this one are coded, or were skipped because they were dead. */
export const B_DONE = 24;
/** The table of blocks follows the header. */
export const B_TABLE = 64;
export const BLOCK_SHIFT = 13;
export const BLOCK_ROWS = 8192;
export const CODES = 256;
/** The search failed because there is no memory. */
export const NO_ROOM = 4294967295;
