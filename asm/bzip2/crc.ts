// CRC-32 as in bzip2: the polynomial 0x04c11db7 with the highest bit first, eight bytes at a time by eight tables.

import { CRC } from './layout.ts';

const POLYNOMIAL: u32 = 0x04c11db7;

/**
 * Fills the tables: the remainder of each byte, and in each next table that remainder with one more zero byte behind.
 */
export function fillTables(): void {
  for (let byte: u32 = 0; byte < 256; byte++) {
    let value: u32 = byte << 24;
    for (let bit: u32 = 0; bit < 8; bit++) value = value & 0x80000000 ? (value << 1) ^ POLYNOMIAL : value << 1;
    store<u32>(CRC + <usize>byte * 4, value);
  }
  for (let table: usize = 1; table < 8; table++) {
    for (let byte: usize = 0; byte < 256; byte++) {
      const before = load<u32>(CRC + (table - 1) * 1024 + byte * 4);
      store<u32>(CRC + table * 1024 + byte * 4, (before << 8) ^ load<u32>(CRC + <usize>(before >>> 24) * 4));
    }
  }
}

/** Continues a CRC with the bytes from `at` to `end`. */
export function addBytes(crc: u32, at: usize, end: usize): u32 {
  while (at + 8 <= end) {
    const first = crc ^ bswap<u32>(load<u32>(at));
    const second = load<u32>(at, 4);
    crc = entry(7, first >>> 24) ^ entry(6, (first >>> 16) & 0xff) ^ entry(5, (first >>> 8) & 0xff) ^
      entry(4, first & 0xff)
      ^ entry(3, second & 0xff) ^ entry(2, (second >>> 8) & 0xff) ^ entry(1, (second >>> 16) & 0xff) ^
      entry(0, second >>> 24);
    at += 8;
  }
  while (at < end) {
    crc = (crc << 8) ^ entry(0, (crc >>> 24) ^ load<u8>(at));
    at++;
  }
  return crc;
}

function entry(table: usize, byte: u32): u32 {
  return load<u32>(CRC + table * 1024 + <usize>byte * 4);
}
