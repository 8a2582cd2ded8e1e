// The layout of a decoder in its memory.
//
//     0x10000  CRC         8 tables of 256 x u32: CRC-32 with the highest bit first, for eight bytes at once
// TABLES for each of 6 Huffman codes: 1024 x u16 by the next ten bits (symbol << 5 | bits, 0 for longer codes),
//                          then for longer ones LIMIT and BASE by length, 24 x i32 each, and PERM, 258 x u16 by rank
//              SELECTORS   32,768 x u8: the code of each group of 50 symbols
// RECENT 256 x u8: the bytes in the order of their last use, with 8 readable bytes in front and behind
//              COUNTS      256 x u32: how often each byte has occurred so far
//              LENGTHS     6 x 258 x u8: lengths of codes
//              CHAIN       900,000 x u32: by position the byte, and above it the next position
//              OUTPUT      256 KiB
//              INPUT       compressed bytes from the decoder's position on, with 512 readable bytes behind

export const MAX_BLOCK: u32 = 900000;
export const MAX_SELECTORS: u32 = 32768;
export const GROUP: u32 = 50;
export const FAST_BITS: u32 = 10;

export const CRC: usize = 0x10000;
export const TABLES: usize = CRC + 8 * 1024;

export const T_LIMIT: usize = 2048;
export const T_BASE: usize = T_LIMIT + 96;
export const T_PERM: usize = T_BASE + 96;
export const TABLE_BYTES: usize = T_PERM + 528;

export const SELECTORS: usize = TABLES + 6 * TABLE_BYTES;
export const RECENT: usize = SELECTORS + 32768 + 16;
export const COUNTS: usize = RECENT + 256 + 16;
export const LENGTHS: usize = COUNTS + 1024;
export const CHAIN: usize = LENGTHS + 6 * 258 + 4;
export const OUTPUT: usize = CHAIN + 900000 * 4 + 64;
export const OUTPUT_BYTES: u32 = 262144;
export const INPUT: usize = OUTPUT + 262144 + 64;

/** Most bytes that a block of the largest size can take: 20 bits per symbol, its codes and their selectors. */
export const LARGEST_BLOCK_BYTES: u32 = 2400000;
export const INPUT_BYTES: u32 = LARGEST_BLOCK_BYTES + 1048576;
