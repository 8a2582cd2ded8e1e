// Constants of asm/bzip2. Generated: change them there, then run `npm run generate`.

/** What `advance` returns. */
export const MORE = 0;
export const BLOCK = 1;
export const DONE = 2;
export const NO_BZIP2 = -1;
export const DAMAGED = -2;
export const WRONG_CRC = -3;
export const CUT_OFF = -4;
export const RANDOMISED = -5;
export const MAX_BLOCK = 900000;
export const MAX_SELECTORS = 32768;
export const GROUP = 50;
export const FAST_BITS = 10;
export const CRC = 65536;
export const TABLES = 73728;
export const T_LIMIT = 2048;
export const T_BASE = 2144;
export const T_PERM = 2240;
export const TABLE_BYTES = 2768;
export const SELECTORS = 90336;
export const RECENT = 123120;
export const COUNTS = 123392;
export const LENGTHS = 124416;
export const CHAIN = 125968;
export const OUTPUT = 3726032;
export const OUTPUT_BYTES = 262144;
export const INPUT = 3988240;
/** Most bytes that a block of the largest size can take: 20 bits per symbol, its codes and their selectors. */
export const LARGEST_BLOCK_BYTES = 2400000;
export const INPUT_BYTES = 3448576;
