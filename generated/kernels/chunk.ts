// Constants of asm/chunk. Generated: change them there, then run `npm run generate`.

export const NEWLINE = 10;
export const BACKSLASH = 92;
export const LEXER = 65536;
export const OUTPUT = 66048;
export const OUTPUT_CHUNKS = 4096;
export const CHUNK_BYTES = 16;
export const TEXT = 196608;
export const CODE = 0;
export const STRING = 1;
export const COMMENT = 2;
