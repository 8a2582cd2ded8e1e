// Buffers that no checkpoint keeps. Each is a run of pages that grows as needed and never shrinks
// below what small documents and queries need.

import { H_BUFFERS, PAGE, PAGE_SCRATCH } from './layout.ts';
import { allocatePages, pagesFor, releasePages } from './memory.ts';

// Numbers of the buffers.
/** Text that the host writes, and results that it reads. */
export const B_INPUT: u32 = 0;
export const B_OUTPUT: u32 = 1;
/** Tokens and forms of the current document, and their tables (see `tokens.ts`). */
export const B_TOKENS: u32 = 2;
export const B_RECENT: u32 = 3;
export const B_FORM_ENTRIES: u32 = 4;
export const B_DOC_FORMS: u32 = 5;
export const B_PLACES: u32 = 24;
export const B_NEW_FORMS: u32 = 6;
/** A posting, or postings, in the format of a tail. */
export const B_POSTINGS: u32 = 7;
/** A block that is being sealed, and its field part. */
export const B_BLOCK: u32 = 8;
export const B_BLOCK_FIELDS: u32 = 9;
/** Weights by document of a group that is being summed, f32. */
export const B_SUMS: u32 = 10;
/** Bitmaps by document: of that group, and of the result of an intersection. */
export const B_SUM_BITS: u32 = 11;
export const B_KEPT_BITS: u32 = 12;
export const B_FILTER: u32 = 13;
export const B_MULTIPLIERS: u32 = 14;
export const B_MATCHES: u32 = 15;
export const B_HEAP: u32 = 16;
export const B_CURSORS: u32 = 17;
/** Three buffers in which phrases merge positions. */
export const B_MERGE: u32 = 18;
export const B_TABLES: u32 = 21;
/** Blocks by which compaction replaces others. */
export const B_NEW_BLOCKS: u32 = 22;
/** Positions of a block before they are coded. */
export const B_POSITIONS: u32 = 23;
/** Positions of a block that compaction decodes, while others are made. */
export const B_OLD_POSITIONS: u32 = 25;
/** Positions that the cursors of a phrase have read. */
export const B_CURSOR_POSITIONS: u32 = 26;
/** Fields of the current document (see `indexing.ts`), and its lengths in further fields. */
export const B_DOC_FIELDS: u32 = 27;
export const B_DOC_LENGTHS: u32 = 28;
/** Frequencies of a chunk in fields other than the content (see `fields.ts`). */
export const B_FIELD_ENTRIES: u32 = 29;
export const B_FIELD_COUNTS: u32 = 30;
/** The parameters of scoring of each field (see `weighing.ts`). */
export const B_FIELD_FACTORS: u32 = 31;
/** A bit for each form of a set (see `form-sets.ts`). */
export const B_FORM_BITS: u32 = 32;
/** Remembered lists, and the table that finds them (see `lists/arena.ts`). */
export const B_ARENA: u32 = 33;
export const B_LIST_TABLE: u32 = 34;
/** By document, a byte: how many lists of an intersection have it. */
export const B_LIST_COUNTS: u32 = 35;
/** Positions of a list while they are coded. */
export const B_LIST_POSITIONS: u32 = 36;
/** Frequencies by field of a group that is being summed for TF-IDF (see `sublinear.ts`). */
export const B_FIELD_SUMS: u32 = 37;
/** Words, their positions in candidates, and the candidates of `reranking.ts`. */
export const B_RERANK_WORDS: u32 = 38;
export const B_RERANK_POSITIONS: u32 = 39;
export const B_RERANK_ORDER: u32 = 40;
/** By document, a byte: how many operands of a group match it (see `countMatches`). */
export const B_MATCH_COUNTS: u32 = 41;
/**
 * By document, a byte: how long it is (see `grades.ts`); and by slot and document, how often a term occurs there (see
 * `tallies.ts`).
 */
export const B_GRADES: u32 = 42;
export const B_TALLIES: u32 = 43;
export const B_TALLY_RESTS: u32 = 44;
/**
 * Candidates of a phrase (see `phrase-candidates.ts`), the places of its words in them (see `occurrences.ts`), and the
 * positions of a chunk.
 */
export const B_RANKS: u32 = 45;
export const B_PLACES_FOUND: u32 = 46;
export const B_POSITIONS_FOUND: u32 = 47;
export const B_CHUNK_POSITIONS: u32 = 48;
/** Positions of a block, class by class, while it is decoded. */
export const B_VALUES: u32 = 49;
/**
 * Where filters by document are, matches by document, and which documents are in step with their ordinals (see
 * `filters.ts`).
 */
export const B_DOC_FILTERS: u32 = 50;
export const B_DOC_MATCHES: u32 = 51;
export const B_IN_STEP: u32 = 52;
/** Weights of the features for reranking, f64 each; features of a candidate. */
export const B_RERANK_WEIGHTS: u32 = 53;
export const B_RERANK_FEATURES: u32 = 54;
/** Remembered places of words in documents, and the table that finds them (see `places.ts`). */
export const B_PLACE_RING: u32 = 55;
export const B_PLACE_TABLE: u32 = 56;
/** Lists by their largest scores, and a bitmap of one of them (see `lists/pruning.ts`). */
export const B_PRUNE_ORDER: u32 = 57;
export const B_PRUNE_BITS: u32 = 58;
/** Remembered factors (see `factors.ts`). */
export const B_FACTORS: u32 = 59;
/** Chunks that a phrase query has read, and their forms (see `kept-chunks.ts`). */
export const B_KEPT_CHUNKS: u32 = 60;
export const B_KEPT_FORMS: u32 = 61;
/** Hashes of recent queries (see `lists/matches.ts`). */
export const B_ASKED: u32 = 62;
/**
 * By word and candidate, how often and where it occurs; and the postings of the words in the candidates (see
 * `candidates.ts`).
 */
export const B_RERANK_FOUND: u32 = 63;
export const B_RERANK_POSTINGS: u32 = 64;
/** Upper bounds of the factors of candidates, keys that order these, and scores (see `reranking.ts`). */
export const B_RERANK_BOUNDS: u32 = 65;
export const B_RERANK_KEYS: u32 = 66;
export const B_RERANK_SCORES: u32 = 67;
/**
 * The documents of a segment that is being made; a segment that is being merged, and the numbers of its forms (see
 * `segments.ts`).
 */
export const B_NOTED: u32 = 68;
export const B_SEGMENT: u32 = 69;
export const B_SEGMENT_FORMS: u32 = 70;
/**
 * The documents of the candidates of a phrase, which of them remain, the postings of its words in them, and by
 * document, whether it is one (see `phrase-candidates.ts`).
 */
export const B_CANDIDATES: u32 = 71;
export const B_REMAINING: u32 = 72;
export const B_CHOSEN: u32 = 73;
export const B_MARKS: u32 = 74;
/** The documents that have a phrase (see `phrase-matches.ts`). */
export const B_PHRASE_MATCHES: u32 = 75;
/** The documents that certainly have a phrase (see `phrase-decisions.ts`), and the offsets of its words. */
export const B_CERTAIN: u32 = 76;
export const B_OFFSETS: u32 = 77;
/** Texts and forms of a division, tables of both, and what is known of the current form (see `compounds/`). */
export const B_DIVISION_TEXTS: u32 = 78;
export const B_DIVISION_FORMS: u32 = 79;
export const B_DIVISION_TABLE: u32 = 80;
export const B_DIVISION_FORM: u32 = 81;
export const B_DIVISION_TRUTHS: u32 = 82;
export const BUFFERS: u32 = 83;

/** Address of a buffer; 0 until it is reserved. */
export function buffer(id: u32): usize {
  return load<u32>(H_BUFFERS + (<usize>id << 3));
}

/** Makes a buffer hold at least `bytes` and keeps its content; new bytes are zero. */
export function reserve(id: u32, bytes: u32): usize {
  assert(id < BUFFERS, 'no such buffer');
  const entry = H_BUFFERS + (<usize>id << 3);
  const old = load<u32>(entry);
  const oldPages = load<u32>(entry, 4);
  if (bytes <= oldPages * PAGE && old !== 0) return old;
  const pages = max(pagesFor(bytes), oldPages + (oldPages >> 1));
  const address = allocatePages(pages, PAGE_SCRATCH);
  memory.copy(address, old, <usize>oldPages * PAGE);
  memory.fill(address + <usize>oldPages * PAGE, 0, <usize>(pages - oldPages) * PAGE);
  if (old !== 0) releasePages(old, oldPages);
  store<u32>(entry, <u32>address);
  store<u32>(entry, pages, 4);
  return address;
}

/**
 * Makes an empty buffer of at least `bytes` with any content: clearing one of a hundred megabytes takes longer than a
 * search may block others.
 */
export function reserveUncleared(id: u32, bytes: u32): usize {
  const entry = H_BUFFERS + (<usize>id << 3);
  assert(load<u64>(entry) === 0, 'the buffer is not empty');
  const pages = pagesFor(bytes);
  const address = allocatePages(pages, PAGE_SCRATCH);
  store<u32>(entry, <u32>address);
  store<u32>(entry, pages, 4);
  return address;
}

export function roomOf(id: u32): u32 {
  return load<u32>(H_BUFFERS + (<usize>id << 3), 4) * PAGE;
}

/** Frees pages of a buffer that has grown beyond `bytes`, as it does for one huge document. */
export function shrink(id: u32, bytes: u32): void {
  if (roomOf(id) <= bytes) return;
  const entry = H_BUFFERS + (<usize>id << 3);
  releasePages(load<u32>(entry), load<u32>(entry, 4));
  store<u64>(entry, 0);
}
