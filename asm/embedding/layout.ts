// The layout of the bytes. The memory is shared: every thread instantiates the module over it.
//
//     page 0        static data of the module (messages of assertions, in debug builds)
//     page 1        the header of the model: the fields below
// page 2 .. the model: token vectors (i8), their scales (f32), 1 / their lengths (f32), the vocabulary as in its file
// (UTF-8, one token per line), the offset of each line (u32), and a hash table of tokens (u32 per slot); then the
// vocabulary of pieces (pieces.ts)
//     behind it     desks of `deskBytes` each, and pages of folded characters; the host allocates
//                   them by growing the memory, which is atomic
//
// There are two sets of tokens: those of the vocabulary, and behind them pieces of words of further languages, whose
// ids begin where the others end. All have rows in the same space. Pieces are laid later or never; a page of the memory
// that nobody has written to takes none.
//
// A desk is the working memory of one thread:
//
// | text: UTF-8, or UTF-16 for pieces | ids: u32 | word | hashes | directory | output: f32, rounded (round.ts)
//     | counts: u32 per token | terms: u32 row, f32 weight (or a query: match.ts)
//     | rows of similarities: u32 per token, u32 rows in use | similarities: f32 (both: match.ts)
//     | results, classes, points, best, steps (unigram.ts) | known words (known-words.ts) |
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
const H_PIECES: usize = HEADER + 48;
const H_PIECE_LINES: usize = HEADER + 52;
const H_PIECE_LINES_BYTES: usize = HEADER + 56;
const H_PIECE_SCORES: usize = HEADER + 60;
const H_PIECE_ENGLISH: usize = HEADER + 64;
const H_PIECE_LATIN: usize = HEADER + 68;
const H_TRIE: usize = HEADER + 72;
const H_TRIE_BITS: usize = HEADER + 76;
const H_LAID: usize = HEADER + 80;
/** Values of `laidPieces`. */
export const NO_PIECES: u32 = 0;
export const PIECE_WORDS: u32 = 1;
export const PIECE_ROWS: u32 = 2;
const MODEL: usize = 0x2_0000;

/** Capacity for a text in bytes, including some behind it. A text has at most as many tokens as bytes. */
const TEXT_ROOM: usize = 300_032;
const D_IDS: usize = TEXT_ROOM;
const D_WORD: usize = D_IDS + 4 * TEXT_ROOM;
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
/** Most UTF-16 units of a text that is cut into pieces. */
export const PIECE_UNITS: u32 = 100_000;
/** Words whose pieces a desk remembers; a power of two. */
export const KNOWN_WORDS: usize = 4096;
export const KNOWN_WORD_BYTES: usize = 128;
/** Bytes for the results of `tokenizePieces`. */
const RESULTS: usize = 64;
/** Bytes before the levels of a rounded vector: its least number and its step. */
export const ROUNDED_HEAD: usize = 8;

function aligned(address: usize): usize {
  return (address + 63) & ~63;
}

/**
 * Computes the layout of a model: `tokens` (below 65,536) of `dims` numbers (a multiple of 32), and the bytes of the
 * vocabulary; the same of `pieces`.
 */
export function layModel(tokens: u32, dims: u32, vocabularyBytes: u32, pieces: u32, pieceBytes: u32): void {
  assert(tokens < 65_536 && (dims & 31) === 0, 'too many tokens, or dimensions that are no multiple of 32');
  let slots: u32 = 4;
  while (slots < 2 * tokens) slots *= 2;
  store<u32>(H_TOKENS, tokens);
  store<u32>(H_PIECES, pieces);
  store<u32>(H_DIMS, dims);
  store<u32>(H_VECTORS, <u32>MODEL);
  const rows = <usize>tokens + pieces;
  const scales = aligned(MODEL + rows * dims);
  store<u32>(H_SCALES, <u32>scales);
  const vocabulary = aligned(scales + rows * 8);
  store<u32>(H_VOCABULARY, <u32>vocabulary);
  store<u32>(H_VOCABULARY_BYTES, vocabularyBytes);
  const offsets = aligned(vocabulary + vocabularyBytes);
  store<u32>(H_OFFSETS, <u32>offsets);
  const table = aligned(offsets + (<usize>tokens + 1) * 4);
  store<u32>(H_SLOTS, <u32>table);
  store<u32>(H_SLOT_MASK, slots - 1);
  store<u32>(H_END, <u32>layPieces(aligned(table + <usize>slots * 4), pieces, pieceBytes));
}

/** Lays the vocabulary of pieces from an address on; returns its end. */
function layPieces(at: usize, pieces: u32, bytes: u32): usize {
  let bits: u32 = 6;
  while ((<u32>1 << bits) < 4 * pieces) bits++;
  store<u32>(H_TRIE, <u32>at);
  store<u32>(H_TRIE_BITS, bits);
  const scores = aligned(at + (<usize>8 << bits));
  store<u32>(H_PIECE_SCORES, <u32>scores);
  const english = aligned(scores + 8 * <usize>pieces);
  store<u32>(H_PIECE_ENGLISH, <u32>english);
  const latin = aligned(english + pieces);
  store<u32>(H_PIECE_LATIN, <u32>latin);
  const lines = aligned(latin + pieces);
  store<u32>(H_PIECE_LINES, <u32>lines);
  store<u32>(H_PIECE_LINES_BYTES, bytes);
  return aligned(lines + bytes);
}

/** Tokens of the vocabulary; ids from this number on are of pieces. */
export function tokenCount(): u32 {
  return load<u32>(H_TOKENS);
}

export function pieceCount(): u32 {
  return load<u32>(H_PIECES);
}

/** Tokens and pieces. */
function rowCount(): usize {
  return <usize>tokenCount() + pieceCount();
}

/** Whether nothing, the words, or also the rows of pieces are laid; threads read it while another one lays them. */
export function laidPieces(): u32 {
  return atomic.load<u32>(H_LAID);
}

export function setLaidPieces(laid: u32): void {
  atomic.store<u32>(H_LAID, laid);
}

/** Ids that have rows. */
export function usableRows(): usize {
  return laidPieces() === PIECE_ROWS ? rowCount() : <usize>tokenCount();
}

/** Address to which the host writes the lines of pieces. */
export function pieceLinesAt(): usize {
  return load<u32>(H_PIECE_LINES);
}

export function pieceLinesBytes(): u32 {
  return load<u32>(H_PIECE_LINES_BYTES);
}

/** Log-probabilities of pieces: f64. */
export function pieceScoreAt(piece: u32): usize {
  return <usize>load<u32>(H_PIECE_SCORES) + (<usize>piece << 3);
}

/** Address to which the host writes how English each piece is: i8. */
export function pieceEnglishAt(): usize {
  return load<u32>(H_PIECE_ENGLISH);
}

/** 1 for pieces of Latin letters: u8. */
export function pieceLatinAt(): usize {
  return load<u32>(H_PIECE_LATIN);
}

/** The table of pieces: u64 per slot. */
export function trieAt(): usize {
  return load<u32>(H_TRIE);
}

/** The number of slots is 2 to this power. */
export function trieBits(): u32 {
  return load<u32>(H_TRIE_BITS);
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
  return scalesAt() + (rowCount() << 2);
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

/** Makes the desk of a thread that has ended, perhaps in the middle of its work, fit for another one. */
export function clearDesk(desk: usize): void {
  memory.fill(countsOf(desk), 0, 4 * rowCount());
}

/** End of the model: the memory must reach that far. */
export function modelEnd(): usize {
  return load<u32>(H_END);
}

/** Bytes of a desk for the model. */
export function deskBytes(): usize {
  return knownWordsOf(0) + KNOWN_WORDS * KNOWN_WORD_BYTES;
}

/** Most bytes of a text. */
export function textRoom(): usize {
  return TEXT_ROOM - 32;
}

/** Address to which `tokenize` and `tokenizePieces` write ids: u32. */
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
  return aligned(countsOf(desk) + 4 * rowCount());
}

/**
 * For each token, the row of its similarities to the prepared query, plus 1, or 0 if they are not known; then the
 * number of rows in use.
 */
export function similarityRowsOf(desk: usize): usize {
  // A row of 16-bit numbers for each token of a query, with three more numbers.
  const query: usize = <usize>MOST_QUERY_TOKENS * (2 * <usize>dimensions() + 12);
  return aligned(termsOf(desk) + max(8 * rowCount(), query));
}

export function similaritiesOf(desk: usize): usize {
  return aligned(similarityRowsOf(desk) + 4 * (rowCount() + 1));
}

/** Number of rows of similarities in use. */
export function usedSimilaritiesOf(desk: usize): usize {
  return similarityRowsOf(desk) + 4 * rowCount();
}

/** How English a text is: i32; its letters, and those of them that no piece has: u32. */
export function pieceResultsOf(desk: usize): usize {
  return aligned(similaritiesOf(desk) + 4 * <usize>SIMILARITIES);
}

/** The addresses of pages of classes, as those of folds: a byte for each code point. */
export function classesOf(desk: usize): usize {
  return pieceResultsOf(desk) + RESULTS;
}

/** The code points of a word: u32. */
export function pointsOf(desk: usize): usize {
  return classesOf(desk) + 4 * FOLD_PAGES;
}

/** The best sums of log-probabilities before each code point and at the end: f64. */
export function bestOf(desk: usize): usize {
  return aligned(pointsOf(desk) + 4 * (<usize>PIECE_UNITS + 2));
}

/** The last step of the best path to each place: u32. */
export function stepsOf(desk: usize): usize {
  return aligned(bestOf(desk) + 8 * (<usize>PIECE_UNITS + 2));
}

export function knownWordsOf(desk: usize): usize {
  return aligned(stepsOf(desk) + 4 * (<usize>PIECE_UNITS + 2));
}
