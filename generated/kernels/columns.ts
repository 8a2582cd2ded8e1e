// Constants of asm/columns. Generated: change them there, then run `npm run generate`.

export const ENTRY = 12;
export const E_FORM = 2;
export const E_SIZE = 4;
export const E_ADDRESS = 8;
export const ARRAY = 0;
export const BITMAP = 1;
export const RUNS = 2;
export const BITMAP_BYTES = 8192;
export const COLUMN = 136;
export const C_PAGES = 0;
export const C_SPELLED = 8;
export const C_KIND = 16;
export const C_RECORDS = 20;
export const C_BUCKETS = 32;
export const C_BUCKET_COUNT = 44;
export const C_NEXT = 48;
export const C_FREE = 52;
export const C_UNUSED = 56;
export const C_PAIRS = 60;
export const C_VALUES = 64;
export const C_DOCS = 68;
export const C_ORDERS = 72;
export const C_SWEEP = 128;
export const IDENTITY = 0;
export const LANG = 1;
/** First metadata key. */
export const KEYS = 2;
export const R_TEXT = 0;
export const R_LENGTH = 4;
export const R_PART = 8;
export const R_HASH = 12;
export const R_MOMENT = 16;
export const R_SET = 24;
export const R_SPELLED = 32;
export const R_NEXT = 36;
export const FLAG = 2147483648;
/** Means all documents if it is passed instead of a level. */
export const ALL = 4294967295;
export const PAGE_SHIFT = 12;
export const PAGE_SLOTS = 4096;
export const SEVERAL = 2147483648;
export const GTE = 0;
export const LTE = 1;
export const GT = 2;
export const LT = 3;
export const PAGE = 65536;
export const HEADER = 32768;
export const HEAP = 34816;
export const MAGIC = 826494033;
/** Changes with every change of the layout; a checkpoint of another layout is rebuilt. */
export const LAYOUT = 1;
export const H_MAGIC = 32768;
export const H_LAYOUT = 32772;
/** End of the allocated memory. */
export const H_TOP = 32776;
/** Set when the memory could not grow as much as needed. */
export const H_FULL = 32780;
/** Bytes in use by part (see PART_*), 4 x u32. */
export const H_PARTS = 32784;
/** Size classes that have free chunks, a bit each, 4 x u64. */
export const H_FREE_CLASSES = 32800;
/** Set while a checkpoint is read: chunks are then allocated at the end of the memory only. */
export const H_FROZEN = 32832;
/**
 * Number of blocks of slots, the array of their blocks of ordinals, its capacity, and a bitmap of the slots that have a
 * document.
 */
export const H_BLOCKS = 32840;
export const H_BLOCK_ORDS = 32844;
export const H_BLOCK_CAPACITY = 32848;
export const H_LIVE = 32852;
/** Blocks without documents, linked through H_BLOCK_ORDS; one more than the first. */
export const H_FREE_BLOCK = 32856;
/** Maps blocks of ordinals to blocks of slots: directory of pages, and its capacity. */
export const H_ORD_PAGES = 32860;
export const H_ORD_PAGE_CAPACITY = 32864;
export const H_DOCS = 32868;
/** Pairs of a document and a metadata value. */
export const H_PAIRS = 32872;
/** Columns of dictionaries (see `dictionary.ts`): address, number, capacity. */
export const H_COLUMNS = 32876;
export const H_COLUMN_COUNT = 32880;
export const H_COLUMN_CAPACITY = 32884;
/** Columns of times (see `times.ts`), 4 x (directory, its capacity); the last one is always empty. */
export const H_TIMES = 32888;
/** Ordinals of documents are below it. */
export const H_ORD_END = 32920;
/** Number of runs of blocks in B_RUNS; 0 if they are not computed. */
export const H_RUNS = 32924;
/** Columns whose values are sliced (see `slices.ts`), u32 each. */
export const H_SLICED = 32928;
export const MAX_SLICED = 8;
/** Heads of the lists of free chunks by size class, 224 x u32. */
export const H_FREE_LISTS = 33024;
/** Buffers that grow (see `scratch.ts`), 96 x 8 bytes: address, bytes. */
export const H_BUFFERS = 33920;
/**
 * Buffers that were replaced while the memory was frozen and have to be freed: 16 x (address, bytes), and their number.
 */
export const H_LEFT = 34688;
export const H_LEFT_COUNT = 32836;
export const MAX_LEFT = 16;
export const PART_DICTIONARIES = 0;
export const PART_BITMAPS = 1;
export const PART_COLUMNS = 2;
export const PART_SCRATCH = 3;
/**
 * Most values that are walked through before all documents are read instead, unless values are fewer than 1 per
 * `SCANNED` documents.
 */
export const MAX_WALK = 4096;
export const NOT_WALKED = 4294967295;
/** What an order compares: whole texts; parts; or moments (numbers and dates, before everything else), then parts. */
export const BY_TEXT = 0;
export const BY_PART = 1;
export const BY_MOMENT = 2;
export const PAGED_BYTES = 12;
/** What the host writes, and what it reads. */
export const B_INPUT = 0;
export const B_OUTPUT = 1;
/** A bit for each value that satisfies a condition. */
export const B_VERDICTS = 2;
/** Counts of documents by value, and the values with any. */
export const B_COUNTS = 3;
export const B_TOUCHED = 4;
/** Slots that are being sorted, u32, and their keys, u64. */
export const B_SLOTS = 5;
export const B_KEYS = 6;
/** Slots that were sorted. */
export const B_RESULT = 7;
/** Scores by slot, f64. */
export const B_SCORES = 8;
export const B_HISTOGRAM = 9;
/** Factors by ordinal, f64. */
export const B_FACTORS = 10;
/** What is noted about the times at which documents were added (see `time-notes.ts`). */
export const B_ADDED = 11;
/** Texts with which verdicts compare. */
export const B_TEXTS = 12;
/** Runs of blocks (see `slots.ts`). */
export const B_RUNS = 13;
/** The sets that slices are counted in. */
export const B_COMMON = 14;
/** The same about those at which they were updated. */
export const B_UPDATED = 15;
/** Values of columns by the bits of their numbers (see `slices.ts`). */
export const B_SLICES = 16;
/** Bitmaps over slots, by level (see `levels.ts`). */
export const B_LEVELS = 24;
export const BUFFERS = 96;
export const S_PLACE = 4;
export const NO_SLOT = 4294967295;
export const K_COLUMN = 4;
export const K_ORDER = 8;
export const K_FLAGS = 12;
export const K_MARK = 16;
export const K_TEXT = 24;
export const K_LENGTH = 28;
export const BY_ORDER = 0;
export const BY_TIME = 1;
export const BY_SCORE = 2;
export const BY_TIE = 3;
export const DESCENDING = 1;
export const SPELLED = 2;
/** Largest difference between two days of a page that have codes. */
export const MAX_CODE = 65535;
export const N_FIRST = 0;
export const N_LAST = 8;
export const TIME_SHIFT = 9;
export const TIME_SLOTS = 512;
export const ADDED_AT = 0;
export const UPDATED_AT = 1;
export const EXPIRES_AT = 2;
/** The column of a time that no document has; it stays empty. */
export const NO_TIME = 3;
