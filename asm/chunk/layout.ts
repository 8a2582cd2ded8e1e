// The layout of the memory. A text of n bytes, and a level for each byte:
//
//   0                   65536            66048            131584  TEXT = 196608    TEXT + n         TEXT + 2n
//   | compiler's data   | LEXER: state   | OUTPUT: chunks |       | UTF-8 bytes    | levels         |
//
// A chunk is four u32: start and end (offsets from TEXT, the end exclusive), first and last line (from 1).

export const LEXER: usize = 65536;
export const OUTPUT: usize = LEXER + 512;
export const OUTPUT_CHUNKS: u32 = 4096;
export const CHUNK_BYTES: usize = 16;
export const TEXT: usize = 196608;
