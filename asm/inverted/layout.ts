// The layout of the memory of one index. The module keeps no state outside it, so that a copy of the
// memory is the index (a checkpoint), and any instance can use it.
//
//     page 0      static data of the module (messages of assertions)
//     page 1      the header: named fields below, then buffers of fixed size
//     page 2      one byte for each of the 65,536 pages that a memory can have: its kind
//     page 3 ..   what the allocator of `memory.ts` returns
//
// Addresses and lengths are u32, little endian, and 0 stands for "none".

export const PAGE: u32 = 65536;
export const HEADER: usize = 0x10000;
export const PAGE_KINDS: usize = 0x20000;
export const FIRST_HEAP_PAGE: u32 = 3;

export const MAGIC: u32 = 0x31584951; // "QIX1"
/** Changes with every change of the layout; a checkpoint of another layout is rebuilt. */
export const LAYOUT: u32 = 7;

// Kinds of pages.
export const PAGE_FREE: u8 = 0;
export const PAGE_SMALL: u8 = 1; // chunks of the size classes
export const PAGE_LARGE: u8 = 2; // one allocation of whole pages
export const PAGE_SCRATCH: u8 = 3; // no checkpoint keeps it

/**
 * Plain fields, from 0 on: the content, and the fields that most documents have. Each has a bit, and an array of
 * lengths by document.
 */
export const PLAIN_FIELDS: u32 = 7;
/**
 * Bits of plain fields that repeat text of other fields: they count only if weights name them, and phrases do not
 * search them.
 */
export const DERIVED: u32 = (1 << 5) | (1 << 6);
/** Plain fields before the derived ones. */
export const OWN_FIELDS: u32 = 5;
/** The bit that all further fields share. Each document stores which of them it has, and the lengths in them. */
export const FURTHER: u32 = 1 << PLAIN_FIELDS;
/** The number of all fields is smaller. */
export const MAX_FIELDS: u32 = 1024;
/** Postings of a block, and values of a packed run. */
export const BLOCK: u32 = 128;
/** Longest form, in bytes: a token of 256 bytes, whose folding is at most three times as long. */
export const MAX_FORM: u32 = 768;
/** A document that stands for every document that compaction drops: always dead, so it never counts. */
export const SINK: u32 = 0;

// ---- Header fields -------------------------------------------------------------------------

export const H_MAGIC: usize = HEADER;
export const H_LAYOUT: usize = HEADER + 4;
/** No free page lies before this one. */
export const H_FREE_HINT: usize = HEADER + 8;
/** Unused rest of the newest page of small chunks. */
export const H_BUMP: usize = HEADER + 12;
export const H_BUMP_END: usize = HEADER + 16;
/** Size classes that have free chunks, a bit each, 3 x u64. */
export const H_FREE_CLASSES: usize = HEADER + 96;
/** Bytes in use by part (see PART_*), 16 x u32. */
export const H_PARTS: usize = HEADER + 24;

/** Number of the next document; 1 at first, since 0 is the sink. */
export const H_DOCS: usize = HEADER + 384;
export const H_LIVE_DOCS: usize = HEADER + 388;
/** Deleted documents that still have postings. */
export const H_DEAD_DOCS: usize = HEADER + 392;
export const H_DOC_CAPACITY: usize = HEADER + 396;
/**
 * Arrays of f32 by document: length over all fields but the derived ones, then in each plain field; 0 if no document
 * has had it (8 x address).
 */
export const H_LENGTHS: usize = HEADER + 400;
/**
 * Array of u32 by document: the list of its lengths in further fields (see `documents.ts`); 0 if no document has had
 * any.
 */
export const H_FURTHER_LENGTHS: usize = HEADER + 460;
/** Array of u32: the caller's ordinal of each document. */
export const H_ORDINALS: usize = HEADER + 464;
/** Array of u32: the document of each ordinal, 0 for none. */
export const H_DOC_OF: usize = HEADER + 432;
export const H_DOC_OF_CAPACITY: usize = HEADER + 436;
/** Sum of the lengths of live documents over all fields but the derived ones, f64. */
export const H_LENGTH_SUM: usize = HEADER + 440;
/**
 * By field, 16 bytes each: sum of the lengths of live documents (f64), live documents that have a token there (u32).
 */
export const H_FIELD_SUMS: usize = HEADER + 448;
export const H_FIELD_CAPACITY: usize = HEADER + 452;
/** Array of u8 by document: its class (see `documents.ts`). */
export const H_CLASSES: usize = HEADER + 456;

/** Number of the next form; 1 at first. */
export const H_FORMS: usize = HEADER + 520;
export const H_FORM_CAPACITY: usize = HEADER + 524;
export const H_RECORDS: usize = HEADER + 528;
export const H_HASH: usize = HEADER + 532;
/** Slots of the hash table (a power of two), and how many are used. */
export const H_HASH_SLOTS: usize = HEADER + 536;
export const H_HASH_USED: usize = HEADER + 540;
/** Numbers that can be reused because no form has them any more, as a stack: address, capacity, count. */
export const H_SPARE_FORMS: usize = HEADER + 544;
export const H_SPARE_COUNT: usize = H_SPARE_FORMS + 8;
/** The two orders of the dictionary (see `dictionary.ts`), 16 bytes each: forward, backward. */
export const H_FORWARD: usize = HEADER + 560;
export const H_BACKWARD: usize = HEADER + 576;
/** Directories of groups (see `groups.ts`), 32 x 20 bytes. */
export const H_GROUPS: usize = HEADER + 600;
export const MAX_GROUPINGS: u32 = 32;

/** Incremented by every deletion, so that counts of dead postings can tell whether they are current. */
export const H_DEATHS: usize = HEADER + 1240;
/** 0 or 1; postings with the other epoch name documents by their numbers before compaction. */
export const H_EPOCH: usize = HEADER + 1244;
/** Maps numbers of documents before compaction to those after it; 0 if none is running. */
export const H_REMAP: usize = HEADER + 1248;
export const H_REMAP_DOCS: usize = HEADER + 1252;
export const H_COMPACT_FORM: usize = HEADER + 1256;
export const H_COMPACT_BLOCK: usize = HEADER + 1260;
/**
 * The hash table that is being moved into the larger one: address, slots, the first slot that was not moved (see
 * `form-table.ts`).
 */
export const H_OLD_HASH: usize = HEADER + 1264;
export const H_OLD_SLOTS: usize = HEADER + 1268;
export const H_OLD_NEXT: usize = HEADER + 1272;
/** Signatures of the keys of forms (see `signatures.ts`). */
export const H_SIGNATURES: usize = HEADER + 1276;
/** Heads of the lists of free chunks by size class, 160 x u32. */
export const H_FREE_LISTS: usize = HEADER + 1280;
/** Live documents by class, 32 x u32. */
export const H_CLASS_DOCS: usize = HEADER + 1920;
export const MAX_CLASSES: u32 = 32;

// ---- Scratch: no checkpoint keeps anything from here to the end of the header page

export const H_SCRATCH: usize = HEADER + 2048;
export const H_TABLE_INDEX: usize = H_SCRATCH + 512;
export const H_TABLE_BLOCKS: usize = H_SCRATCH + 516;
export const H_TABLE_EXPANSIONS: usize = H_SCRATCH + 520;
export const H_TOKENS: usize = H_SCRATCH + 524;
export const H_DOC_FORMS: usize = H_SCRATCH + 528;
export const H_NEW_FORMS: usize = H_SCRATCH + 532;
/** Fields of the current document, in B_DOC_FIELDS. */
export const H_DOC_FIELDS: usize = H_SCRATCH + 536;
/** The document that is being committed, its next form, and whether searches ran in between. */
export const H_COMMIT_DOC: usize = H_SCRATCH + 540;
export const H_COMMIT_FORM: usize = H_SCRATCH + 544;
export const H_COMMIT_HIDDEN: usize = H_SCRATCH + 548;
/** Where `tokenizeText` stopped. */
export const H_TEXT_AT: usize = H_SCRATCH + 552;
/** What `parsePosting` has read: document gap, occurrences, bits of the fields, address of the field part. */
export const H_POSTING: usize = H_SCRATCH + 560;
/** Used bytes of B_CURSOR_POSITIONS. */
export const H_CURSOR_POSITIONS: usize = H_SCRATCH + 700;
/** The arena of cached lists (see `lists/arena.ts`). */
export const H_ARENA: usize = H_SCRATCH + 704;
/** The parameters of scoring (see `weighing.ts`). */
export const H_SCORING: usize = H_SCRATCH + 576;
/** What `readLength` has read: distance of the field, length. */
export const H_FURTHER: usize = H_SCRATCH + 600;
/** Set when the memory could not grow as much as needed. */
export const H_FULL: usize = H_SCRATCH + 608;
/** A number of the current document, and how many of its tokens have been placed (see `tokens.ts`). */
export const H_DOCUMENT: usize = H_SCRATCH + 612;
export const H_PLACED: usize = H_SCRATCH + 616;
/** Bits of the classes whose documents the following terms do not match. */
export const H_EXCLUDED: usize = H_SCRATCH + 620;
/** Number of documents that certainly have a phrase (see `phrase-decisions.ts`). */
export const H_CERTAIN: usize = H_SCRATCH + 624;
/** Used bytes of B_NOTED (see `segments.ts`). */
export const H_NOTED: usize = H_SCRATCH + 640;
/** The ring of remembered places (see `places.ts`). */
export const H_PLACES: usize = H_SCRATCH + 760;
/** Numbers by which the host identifies the parameters of scoring (see `lists/scored.ts`). */
export const H_SCORING_NAMES: usize = H_SCRATCH + 768;
/**
 * Documents before this one have grades; and the number of documents when the grade lengths, 3 x f32, were chosen (see
 * `grades.ts`).
 */
export const H_GRADED: usize = H_SCRATCH + 960;
export const H_GRADED_FOR: usize = H_SCRATCH + 964;
/** Not used; it is written so that the compiler keeps the loads of `touchBlocks`. */
export const H_TOUCHED: usize = H_SCRATCH + 980;
/** Candidates of a phrase (see `phrase-candidates.ts`), and bytes of their positions (see `occurrences.ts`). */
export const H_CANDIDATES: usize = H_SCRATCH + 984;
export const H_FOUND: usize = H_SCRATCH + 988;
/** Remembered factors (see `factors.ts`). */
export const H_FACTORS: usize = H_SCRATCH + 992;
/** Chunks that a phrase query has read (see `kept-chunks.ts`). */
export const H_KEPT: usize = H_SCRATCH + 1000;
/** Number of matches of a phrase (see `phrase-matches.ts`), and of its words (see `phrase-candidates.ts`). */
export const H_PHRASE_MATCHES: usize = H_SCRATCH + 1016;
export const H_CANDIDATE_WORDS: usize = H_SCRATCH + 1020;
/** Used bytes of B_CHOSEN. */
export const H_CHOSEN: usize = H_SCRATCH + 1012;
/** State of `candidates.ts` and `gathering.ts`: 4 x u32. */
export const H_GATHERED: usize = H_SCRATCH + 728;
/** Score and bitmap arrays by level (see `levels.ts`): 64 x (scores, bitmap). */
export const H_LEVELS: usize = H_SCRATCH + 1024;
export const H_LEVEL_CAPACITY: usize = H_SCRATCH + 1536;
/** Which remembered factors are valid (see `factors.ts`). */
export const H_FACTOR_EPOCH: usize = H_SCRATCH + 1540;
export const MAX_LEVELS: u32 = 64;
/** State of a division (see `compounds/`): 13 x u32. */
export const H_DIVISION: usize = H_SCRATCH + 1600;

// Buffers of fixed size in the header page.
export const FORM_BUFFER: usize = HEADER + 0x1000; // one folded form
export const DOCS: usize = HEADER + 0x1800; // documents of a decoded block, u32
export const FREQUENCIES: usize = HEADER + 0x1c00; // their term frequencies, u32
export const CONTENT_FREQUENCIES: usize = HEADER + 0x2000; // those in the content, u32
export const WEIGHTS: usize = HEADER + 0x2c00; // their (weighted) frequencies, f32
export const SCORES: usize = HEADER + 0x3000; // their scores, f32
export const HISTOGRAM: usize = HEADER + 0x3800; // bit lengths of the values to pack, 33 x u32
export const RICE: usize = HEADER + 0x3c00; // ends by class of the positions to code
export const FUZZY: usize = HEADER + 0x4000; // rows of the automaton, and the word
export const SEALED_DOCS: usize = HEADER + 0x8000; // of the block that is being sealed, u32
export const SEALED_FREQUENCIES: usize = HEADER + 0x8400;
export const LOGARITHMS: usize = HEADER + 0x8800; // 1 + ln of 1 to 255, f32, computed at first use
export const TALLIED: usize = HEADER + 0x9000; // terms of a query (see `tallies.ts`)
export const CHOSEN: usize = HEADER + 0x9200; // postings of a chunk that are needed, u32
export const TAIL_PLACES: usize = HEADER + 0x9400; // where the postings of a decoded tail begin, relative to it, u16
export const POSITION_PARTS: usize = HEADER + 0x9600; // of a block (see `positions.ts`)
export const NEXT_VALUES: usize = HEADER + 0x9700; // by class, while they are decoded, u32
/** Buffers that grow (see `scratch.ts`), 128 x 8 bytes: address, pages. */
export const H_BUFFERS: usize = HEADER + 0x9800;
export const ONES: usize = HEADER + 0xa000; // where the ones of some bits are (see `ones.ts`), u16
export const ONES_OF_BYTES: usize = HEADER + 0xa400; // and those of each byte, 256 x 8 x u8, computed at first use
export const HEADER_END: usize = HEADER + 0x10000;

// ---- Parts of the memory accounting --------------------------------------------------------

export const PART_DOCUMENTS: u32 = 0;
export const PART_FORMS: u32 = 1; // records and the hash table
export const PART_STRINGS: u32 = 2;
export const PART_ORDER: u32 = 3;
export const PART_GROUPS: u32 = 4;
export const PART_TAILS: u32 = 5;
export const PART_BLOCKS: u32 = 6;
export const PART_DIRECTORIES: u32 = 7;
export const PART_COMPACTION: u32 = 8;
export const PARTS: u32 = 9;
