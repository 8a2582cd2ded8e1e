// Cursors over the positions of forms. A cursor goes through documents in ascending order.
//
// A cursor, 1568 bytes in B_CURSORS:
//
// 0 form 4 chunk 8 its postings 12 index 16 positions (offset in B_CURSOR_POSITIONS) 20 capacity for positions
//     24 whether the positions of this chunk were read   28 chunks of the form
//     32 documents, 128 x u32   544 frequencies, 128 x u32   1056 first position of each posting, 128 x u32
//
// A position is a u64 with the field in its upper half, so that the positions of a posting ascend.

import { readChunkPositions } from './chunk-positions.ts';
import { H_CURSOR_POSITIONS } from './layout.ts';
import { blockAt, blockCount } from './postings.ts';
import { chunkCount, isCurrent, readChunk } from './reading.ts';
import { recordOf } from './records.ts';
import { B_CURSOR_POSITIONS, B_CURSORS, buffer, reserve } from './scratch.ts';

export const CURSOR: u32 = 1568;
const C_FORM: usize = 0;
const C_CHUNK: usize = 4;
const C_COUNT: usize = 8;
const C_INDEX: usize = 12;
const C_POSITIONS: usize = 16;
const C_ROOM: usize = 20;
const C_READ: usize = 24;
const C_CHUNKS: usize = 28;
const C_DOCS: usize = 32;
const C_FREQUENCIES: usize = 544;
const C_STARTS: usize = 1056;

export function cursorAt(number: u32): usize {
  return buffer(B_CURSORS) + <usize>number * CURSOR;
}

export function formOf(cursor: usize): u32 {
  return load<u32>(cursor, C_FORM);
}

/** Form 0 occurs nowhere. */
export function openCursor(number: u32, form: u32): void {
  const cursor = cursorAt(number);
  memory.fill(cursor, 0, 32);
  if (form === 0) return;
  store<u32>(cursor, form, C_FORM);
  store<u32>(cursor, chunkCount(form), C_CHUNKS);
  if (chunkCount(form) > 0) readInto(cursor);
}

/** Invalidates the positions of all cursors, before others are opened. */
export function resetCursors(): void {
  store<u32>(H_CURSOR_POSITIONS, 0);
}

/** Moves on to a document, which is not before the previous one. Returns the occurrences there; 0 for none. */
export function seekDocument(cursor: usize, doc: u32): u32 {
  const chunks = load<u32>(cursor, C_CHUNKS);
  while (load<u32>(cursor, C_CHUNK) < chunks) {
    const end = cursor + (<usize>load<u32>(cursor, C_COUNT) << 2);
    const start = cursor + (<usize>load<u32>(cursor, C_INDEX) << 2);
    let place = start;
    while (place < end && load<u32>(place, C_DOCS) < doc) place += 4;
    if (place !== start) store<u32>(cursor, <u32>(place - cursor) >> 2, C_INDEX);
    if (place < end) return load<u32>(place, C_DOCS) === doc ? load<u32>(place, C_FREQUENCIES) : 0;
    nextChunk(cursor, chunks, doc);
  }
  return 0;
}

/** Occurrences in the document of the last seek; 0 for none. */
export function occurrencesIn(cursor: usize, doc: u32): u32 {
  const index = load<u32>(cursor, C_INDEX);
  const place = cursor + (<usize>index << 2);
  return index < load<u32>(cursor, C_COUNT) && load<u32>(place, C_DOCS) === doc ? load<u32>(place, C_FREQUENCIES) : 0;
}

/**
 * Reads the next chunk that may hold a document. Blocks of the current epoch say where they end; others have to be
 * read.
 */
function nextChunk(cursor: usize, chunks: u32, doc: u32): void {
  const record = recordOf(load<u32>(cursor, C_FORM));
  const blocks = blockCount(record);
  let chunk = load<u32>(cursor, C_CHUNK) + 1;
  while (chunk < blocks && isCurrent(blockAt(record, chunk)) && load<u32>(blockAt(record, chunk)) < doc) chunk++;
  store<u32>(cursor, chunk, C_CHUNK);
  if (chunk < chunks) readInto(cursor);
}

/** Reads the positions of the current chunk. Addresses of positions that were returned before become invalid. */
export function readPositions(cursor: usize): void {
  if (load<u32>(cursor, C_READ) === 0) loadPositions(cursor);
}

/** Address of the positions in the current document, which `readPositions` has read. */
export function positionsOf(cursor: usize): usize {
  assert(load<u32>(cursor, C_READ) !== 0, 'positions that were not read');
  const index = load<u32>(cursor, C_INDEX);
  return buffer(B_CURSOR_POSITIONS) + load<u32>(cursor, C_POSITIONS) +
    (<usize>load<u32>(cursor + (<usize>index << 2), C_STARTS) << 3);
}

function readInto(cursor: usize): void {
  const count = readChunk(load<u32>(cursor, C_FORM), load<u32>(cursor, C_CHUNK), cursor + C_DOCS,
    cursor + C_FREQUENCIES);
  store<u32>(cursor, count, C_COUNT);
  store<u32>(cursor, 0, C_INDEX);
  store<u32>(cursor, 0, C_READ);
}

function loadPositions(cursor: usize): void {
  const form = load<u32>(cursor, C_FORM);
  const chunk = load<u32>(cursor, C_CHUNK);
  const count = load<u32>(cursor, C_COUNT);
  let values: u32 = 0;
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    store<u32>(cursor + i, values, C_STARTS);
    values += load<u32>(cursor + i, C_FREQUENCIES);
  }
  makeRoom(cursor, values * 8);
  readChunkPositions(form, chunk, count, cursor + C_FREQUENCIES,
    buffer(B_CURSOR_POSITIONS) + load<u32>(cursor, C_POSITIONS));
  store<u32>(cursor, 1, C_READ);
}

/** Capacity grows by at least half, so that abandoned ranges take at most twice as much. */
function makeRoom(cursor: usize, bytes: u32): void {
  const room = load<u32>(cursor, C_ROOM);
  if (bytes <= room) return;
  const wider = max(bytes, room + (room >> 1)) & ~7;
  const at = load<u32>(H_CURSOR_POSITIONS);
  reserve(B_CURSOR_POSITIONS, at + wider);
  store<u32>(H_CURSOR_POSITIONS, at + wider);
  store<u32>(cursor, at, C_POSITIONS);
  store<u32>(cursor, wider, C_ROOM);
}
