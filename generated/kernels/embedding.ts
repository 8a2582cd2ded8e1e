// Constants of asm/embedding. Generated: change them there, then run `npm run generate`.

/** Bytes of the longest token, without the mark of a continuing piece. */
export const H_LONGEST = 65576;
/** Id of `[UNK]`. */
export const H_UNKNOWN = 65580;
/** Characters of a word beyond which it is unknown. */
export const WORD_CHARACTERS = 100;
/** No token is longer, in bytes. */
export const LONGEST_TOKEN = 255;
export const FOLD_BYTES = 16;
export const NONE = 4294967295;
