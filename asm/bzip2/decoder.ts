// The streams of a file: their magic numbers, blocks and checksums (the format as the program of Julian Seward writes
// it).

import { consumedBits, seek, take, take32 } from './bits.ts';
import { readBlock, size, start } from './block.ts';
import { fillTables } from './crc.ts';
import { INPUT, INPUT_BYTES, LARGEST_BLOCK_BYTES, OUTPUT, OUTPUT_BYTES } from './layout.ts';
import { beginWriting, isWritten, write, writtenCrc } from './writing.ts';

/** What `advance` returns. */
export const MORE: i32 = 0; // more input is needed
export const BLOCK: i32 = 1; // a block has to be drained
export const DONE: i32 = 2; // the file has ended
const AGAIN: i32 = 3; // only inside this module: continue
export const NO_BZIP2: i32 = -1;
export const DAMAGED: i32 = -2;
export const WRONG_CRC: i32 = -3;
export const CUT_OFF: i32 = -4;
export const RANDOMISED: i32 = -5;

const AT_STREAM: u32 = 0;
const AT_BLOCK: u32 = 1;
const IN_BLOCK: u32 = 2;

let state: u32 = AT_STREAM;
/** Bits of the input that were processed. */
let position: u32 = 0;
let maxSize: u32 = 0;
let streams: u32 = 0;
let expected: u32 = 0;
let combined: u32 = 0;

export function inputAt(): usize {
  return INPUT;
}

/** Capacity of the input in bytes. */
export function inputRoom(): u32 {
  return INPUT_BYTES;
}

export function outputAt(): usize {
  return OUTPUT;
}

export function outputRoom(): u32 {
  return OUTPUT_BYTES;
}

/** Prepares the decoder for a file. */
export function begin(): void {
  fillTables();
  state = AT_STREAM;
  position = 0;
  streams = 0;
}

/** Number of streams that have ended. */
export function streamsRead(): u32 {
  return streams;
}

/** Moves the unprocessed part of the input, of which there are `length` bytes, to the front; returns its bytes. */
export function release(length: u32): u32 {
  const from = position >>> 3;
  if (from === 0) return length;
  memory.copy(INPUT, INPUT + from, length - from);
  position &= 7;
  return length - from;
}

/**
 * Reads up to the next block's content or the file's end. The input has `length` bytes, and no more follow if `isLast`.
 * Returns one of the numbers above. A block's bytes must be drained before the next call.
 */
export function advance(length: u32, isLast: bool): i32 {
  // Bytes that are read behind the input are not part of it; using them leads to an error.
  memory.fill(INPUT + length, 0, 512);
  let result = AGAIN;
  while (result === AGAIN) result = step(length, isLast);
  return result < 0 && isLast && consumedBits() > length * 8 ? CUT_OFF : result;
}

function step(length: u32, isLast: bool): i32 {
  const bytes = length - (position >>> 3);
  if (state === IN_BLOCK) {
    if (writtenCrc() !== expected) return WRONG_CRC;
    combined = rotl<u32>(combined, 1) ^ expected;
    state = AT_BLOCK;
  }
  if (state === AT_STREAM) {
    if (bytes < 4 && !isLast) return MORE;
    if (bytes === 0 && streams > 0) return DONE;
    return readHeader(bytes) ? AGAIN : bytes < 4 ? CUT_OFF : NO_BZIP2;
  }
  return bytes < LARGEST_BLOCK_BYTES && !isLast ? MORE : readNext(length * 8);
}

function readHeader(bytes: u32): bool {
  seek(position);
  if (bytes < 4 || take(24) !== 0x425a68) return false;
  const level = take(8);
  if (level < 0x31 || level > 0x39) return false;
  maxSize = (level - 0x30) * 100000;
  combined = 0;
  position += 32;
  state = AT_BLOCK;
  return true;
}

/** Reads a block, or a stream's end. */
function readNext(last: u32): i32 {
  seek(position);
  const high = take(24);
  const low = take(24);
  if (consumedBits() + 32 > last) return CUT_OFF;
  if (high === 0x177245 && low === 0x385090) return endStream();
  if (high !== 0x314159 || low !== 0x265359) return DAMAGED;
  expected = take32();
  if (take(1) === 1) return RANDOMISED;
  if (!readBlock(maxSize, last)) return DAMAGED;
  position = consumedBits();
  beginWriting(start, size);
  state = IN_BLOCK;
  return BLOCK;
}

function endStream(): i32 {
  const crc = take32();
  if (crc !== combined) return WRONG_CRC;
  position = (consumedBits() + 7) & ~7;
  streams++;
  state = AT_STREAM;
  return AGAIN;
}

/** Writes the next bytes of a block to the output; returns their number, 0 if there are no more. */
export function drain(): u32 {
  return isWritten() ? 0 : write();
}
