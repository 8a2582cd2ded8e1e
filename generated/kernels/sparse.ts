// Constants of asm/sparse. Generated: change them there, then run `npm run generate`.

/** Most documents of a block. */
export const MAX_DOCS = 8192;
/** Most values of a block of several documents. */
export const MAX_BLOCK_VALUES = 1048576;
/** Most values of a document. */
export const MAX_VALUES = 65536;
export const B_DOCS = 0;
/** Documents that still have their ordinal. */
export const B_LIVE = 4;
export const B_LISTS = 8;
/** Values of all lists, including those of removed documents. */
export const B_VALUES = 12;
export const B_BYTES = 16;
/** All ordinals of the block are from B_LEAST to B_GREATEST. */
export const B_LEAST = 20;
export const B_GREATEST = 24;
/** Next of the retired blocks. */
export const B_NEXT = 28;
export const BLOCK_HEADER = 32;
/** Bytes of a list in the directory, offset of the number of values before it, and bytes of a value with its slot. */
export const ENTRY = 8;
export const E_START = 4;
export const VALUE = 6;
/** The ordinal of a removed document. */
export const NO_ORD = 4294967295;
export const H_DOCUMENTS = 32840;
/** One more than the greatest ordinal that was ever stored. */
export const H_ORD_END = 32848;
/** The table of blocks: address, number, capacity. */
export const H_BLOCKS = 32856;
export const H_BLOCK_COUNT = 32860;
export const H_BLOCK_ROOM = 32864;
/** Whether a checkpoint reads blocks: those that are replaced are kept until it is done, in a list. */
export const H_HELD = 32868;
export const H_RETIRED = 32872;
/** Values and lists that changes have gone through since the host asked. */
export const H_WORK = 32876;
/** A vector from the host: u32 dimensions, ascending, then f32 values. */
export const B_INPUT = 0;
/** Scores of the documents of a block; UNTOUCHED between two blocks. */
export const B_SCORES = 1;
/** New slots of the documents of blocks that are joined, u16 each. */
export const B_SLOTS = 2;
export const PART_BLOCKS = 0;
export const PART_SEARCHES = 2;
/**
 * The score of a document that has no dimension of the query: -0. No sum is -0, because 0 is added to every product.
 */
export const UNTOUCHED = 2147483648;
/** Address of the entries: k are the best, `held` of them exist. */
export const S_ENTRIES = 0;
export const S_HELD = 8;
export const S_QUERY = 20;
export const S_BITMAP = 28;
/** Products and documents that the last step went through. */
export const S_STEPS = 36;
/** Number of words of a search of all documents. */
export const ALL = 4294967295;
