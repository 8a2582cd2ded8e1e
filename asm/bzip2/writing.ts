// Writes the bytes of a block that has been read: along its chain, expanding the runs of the first stage.

import { addBytes } from './crc.ts';
import { CHAIN, OUTPUT, OUTPUT_BYTES } from './layout.ts';

let place: u32 = 0;
let left: u32 = 0;
let last: u32 = 256;
/** Equal bytes in a row; after four, the next byte is the number of further ones. */
let same: u32 = 0;
let repeats: u32 = 0;
let crc: u32 = 0;

export function beginWriting(start: u32, size: u32): void {
  place = load<u32>(CHAIN + <usize>start * 4) >>> 8;
  left = size;
  last = 256;
  same = 0;
  repeats = 0;
  crc = 0xffffffff;
}

export function isWritten(): bool {
  return left === 0 && repeats === 0;
}

export function writtenCrc(): u32 {
  return ~crc;
}

/** Writes as many bytes as the output holds; returns the number of bytes written. */
export function write(): u32 {
  const end = OUTPUT + OUTPUT_BYTES;
  let at = OUTPUT;
  let here = place;
  let rest = left;
  let before = last;
  let equal = same;
  at = writeRepeats(at, end);
  while (rest > 0 && at < end) {
    const link = load<u32>(CHAIN + <usize>here * 4);
    const byte = link & 0xff;
    here = link >>> 8;
    rest--;
    if (equal === 4) {
      equal = 0;
      repeats = byte;
      last = before;
      at = writeRepeats(at, end);
      continue;
    }
    equal = byte === before ? equal + 1 : 1;
    before = byte;
    store<u8>(at, <u8>byte);
    at++;
  }
  place = here;
  left = rest;
  last = before;
  same = equal;
  crc = addBytes(crc, OUTPUT, at);
  return <u32>(at - OUTPUT);
}

/** Writes repeats of the last byte, as many as fit. */
function writeRepeats(at: usize, end: usize): usize {
  const count = min(repeats, <u32>(end - at));
  memory.fill(at, <u8>last, count);
  repeats -= count;
  return at + count;
}
