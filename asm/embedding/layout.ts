// The layout of the bytes. The memory is shared: every thread instantiates the module over it.
//
//     page 0        static data of the module (messages of assertions, in debug builds)
//     page 1        the header of the model: the fields below
// page 2 .. the model: token vectors (i8), their scales (f32), 1 / their lengths (f32), the vocabulary as in its file
// (UTF-8, one token per line), the offset of each line (u32), and a hash table of tokens (u32 per slot)
//     behind it     desks of `deskBytes` each, and pages of folded characters; the host allocates
//                   them by growing the memory, which is atomic
//
// A desk is the working memory of one thread:
//
// | text: UTF-8 | ids: u16 | counts: u32 per token | terms: u32 row, f32 weight (or a query: match.ts) | word | hashes
// | output: f32, rounded (round.ts) | directory
//     | rows of similarities: u32 per token, u32 rows in use | similarities: f32 (both: match.ts) |
//
// Counts are zero between two calls. The directory has the address of a page of folds for every 256 code points, or 0.
// A page has 16 bytes for each code point: its class, the number of bytes, and those bytes
// (src/kernels/bert-characters.ts).

const HEADER: usize = 0x1_0000;
const H_TOKENS: usize = HEADER;
const H_DIMS: usize = HEADER + 4;
const H_VECTORS: usize = HEADER + 8;
const H_SCALES: usize = HEADER + 12;
const H_VOCABULARY: usize = HEADER + 16;
const H_VOCABULARY_BYTES: usize = HEADER + 20;
const H_OFFSETS: usize = HEADER + 24;
const H_SLOTS: usize = HEADER + 28;
const H_SLOT_MASK: usize = HEADER + 32;
const H_END: usize = HEADER + 36;
/** Bytes of the longest token, without the mark of a continuing piece. */
export const H_LONGEST: usize = HEADER + 40;
/** Id of `[UNK]`. */
export const H_UNKNOWN: usize = HEADER + 44;
const MODEL: usize = 0x2_0000;

/** Capacity for a text in bytes, including some behind it. A text has at most as many tokens as bytes. */
const TEXT_ROOM: usize = 300_032;
const D_IDS: usize = TEXT_ROOM;
const D_WORD: usize = D_IDS + 2 * TEXT_ROOM;
/** Longer words, in characters, are unknown. */
export const WORD_CHARACTERS: u32 = 100;
const WORD_ROOM: usize = 512;
const D_HASHES: usize = D_WORD + WORD_ROOM;
/** Most bytes of a token. */
export const LONGEST_TOKEN: u32 = 255;
const D_DIRECTORY: usize = D_HASHES + 4 * (<usize>LONGEST_TOKEN + 1);
/** Tokens of a query with which texts are compared. */
export const MOST_QUERY_TOKENS: u32 = 64;
/** Numbers of similarities that a desk holds: those of 8,192 tokens to a query of 16. */
export const SIMILARITIES: u32 = 131_072;
/** Pages of 256 code points up to U+10FFFF. */
const FOLD_PAGES: usize = 0x1100;
const D_OUTPUT: usize = D_DIRECTORY + 4 * FOLD_PAGES;
export const FOLD_BYTES: usize = 16;
/** Bytes before the levels of a rounded vector: its least number and its step. */
export const ROUNDED_HEAD: usize = 8;

function aligned(address: usize): usize {
  return (address + 63) & ~63;
}

/**
 * Computes the layout of a model: `tokens` (below 65,536) of `dims` numbers (a multiple of 32), and the bytes of the
 * vocabulary.
 */
export function layModel(tokens: u32, dims: u32, vocabularyBytes: u32): void {
  assert(tokens < 65_536 && (dims & 31) === 0, 'too many tokens, or dimensions that are no multiple of 32');
  let slots: u32 = 4;
  while (slots < 2 * tokens) slots *= 2;
  store<u32>(H_TOKENS, tokens);
  store<u32>(H_DIMS, dims);
  store<u32>(H_VECTORS, <u32>MODEL);
  const scales = aligned(MODEL + <usize>tokens * dims);
  store<u32>(H_SCALES, <u32>scales);
  const vocabulary = aligned(scales + <usize>tokens * 8);
  store<u32>(H_VOCABULARY, <u32>vocabulary);
  store<u32>(H_VOCABULARY_BYTES, vocabularyBytes);
  const offsets = aligned(vocabulary + vocabularyBytes);
  store<u32>(H_OFFSETS, <u32>offsets);
  const table = aligned(offsets + (<usize>tokens + 1) * 4);
  store<u32>(H_SLOTS, <u32>table);
  store<u32>(H_SLOT_MASK, slots - 1);
  store<u32>(H_END, <u32>aligned(table + <usize>slots * 4));
}

export function tokenCount(): u32 {
  return load<u32>(H_TOKENS);
}

export function dimensions(): u32 {
  return load<u32>(H_DIMS);
}

/** Address to which the host writes the token vectors: i8, row by row. */
export function vectorsAt(): usize {
  return load<u32>(H_VECTORS);
}

/** Address to which the host writes the scales: f32. */
export function scalesAt(): usize {
  return load<u32>(H_SCALES);
}

/** Address to which the host writes the vocabulary. */
export function vocabularyAt(): usize {
  return load<u32>(H_VOCABULARY);
}

export function vocabularyBytes(): u32 {
  return load<u32>(H_VOCABULARY_BYTES);
}

/** 1 / lengths of the vectors, f32; 0 for a vector of zeros. */
export function inversesAt(): usize {
  return scalesAt() + (<usize>tokenCount() << 2);
}

/** Address of the offset of a token's line; behind the last token, the offset of the end. */
export function offsetAt(token: u32): usize {
  return <usize>load<u32>(H_OFFSETS) + <usize>token * 4;
}

export function slotAt(slot: u32): usize {
  return <usize>load<u32>(H_SLOTS) + <usize>slot * 4;
}

export function slotMask(): u32 {
  return load<u32>(H_SLOT_MASK);
}

/** End of the model: the memory must reach that far. */
export function modelEnd(): usize {
  return load<u32>(H_END);
}

/** Bytes of a desk for the model. */
export function deskBytes(): usize {
  return similaritiesOf(0) + 4 * <usize>SIMILARITIES;
}

/** Most bytes of a text. */
export function textRoom(): usize {
  return TEXT_ROOM - 32;
}

/** Address to which `tokenize` writes ids: u16. */
export function tokensOf(desk: usize): usize {
  return desk + D_IDS;
}

export function wordOf(desk: usize): usize {
  return desk + D_WORD;
}

export function hashesOf(desk: usize): usize {
  return desk + D_HASHES;
}

/** The addresses of the pages of folds: u32 each, 0 for a page that the host has not made. */
export function directoryOf(desk: usize): usize {
  return desk + D_DIRECTORY;
}

export function foldPageBytes(): usize {
  return 256 * FOLD_BYTES;
}

/** Address to which `sumTokens` writes the vector: f32. */
export function outputOf(desk: usize): usize {
  return desk + D_OUTPUT;
}

/** Address to which `roundVector` writes. */
export function roundedOf(desk: usize): usize {
  return desk + D_OUTPUT + 4 * <usize>dimensions();
}

export function countsOf(desk: usize): usize {
  return aligned(roundedOf(desk) + ROUNDED_HEAD + <usize>dimensions());
}

export function termsOf(desk: usize): usize {
  return aligned(countsOf(desk) + 4 * <usize>tokenCount());
}

/**
 * For each token, the row of its similarities to the prepared query, plus 1, or 0 if they are not known; then the
 * number of rows in use.
 */
export function similarityRowsOf(desk: usize): usize {
  // A row of 16-bit numbers for each token of a query, with three more numbers.
  const query: usize = <usize>MOST_QUERY_TOKENS * (2 * <usize>dimensions() + 12);
  return aligned(termsOf(desk) + max(8 * <usize>tokenCount(), query));
}

export function similaritiesOf(desk: usize): usize {
  return aligned(similarityRowsOf(desk) + 4 * (<usize>tokenCount() + 1));
}
