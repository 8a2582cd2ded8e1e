// Constants of asm/embedding. Generated: change them there, then run `npm run generate`.

/** Code points of the longest word that is remembered. */
export const MOST_POINTS = 22;
/** Bytes of the longest token, without the mark of a continuing piece. */
export const H_LONGEST = 65576;
/** Id of `[UNK]`. */
export const H_UNKNOWN = 65580;
/** Values of `laidPieces`. */
export const NO_PIECES = 0;
export const PIECE_WORDS = 1;
export const PIECE_ROWS = 2;
/** Longer words, in characters, are unknown. */
export const WORD_CHARACTERS = 100;
/** Most bytes of a token. */
export const LONGEST_TOKEN = 255;
/** Tokens of a query with which texts are compared. */
export const MOST_QUERY_TOKENS = 64;
/** Numbers of similarities that a desk holds: those of 8,192 tokens to a query of 16. */
export const SIMILARITIES = 131072;
export const FOLD_BYTES = 16;
/** Most UTF-16 units of a text that is cut into pieces. */
export const PIECE_UNITS = 100000;
/** Words whose pieces a desk remembers; a power of two. */
export const KNOWN_WORDS = 4096;
export const KNOWN_WORD_BYTES = 128;
/** Bytes before the levels of a rounded vector: its least number and its step. */
export const ROUNDED_HEAD = 8;
/** Marks the beginning of a word. */
export const WORD_MARK = 9601;
/** Set in the result of `tokenize` if a page of folds is missing; the other bits are the number of the page. */
export const MISSING = 2147483648;
export const NONE = 4294967295;
