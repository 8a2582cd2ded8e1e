// Cursors over the positions of forms, which go through documents in ascending order.
//
// A cursor, 1568 bytes in B_CURSORS:
//
//     0 form   4 chunk   8 postings of it   12 index   16 positions (offset in B_CURSOR_POSITIONS)   20 room for them
//     24 are they of this chunk?
//     32 documents, 128 x u32   544 frequencies, 128 x u32   1056 first position of each posting, 128 x u32
//
// A position is a u32 with the field in its upper three bits, so that those of a posting ascend.

import { getVarint, varintLength, varintValue } from './bytes.ts';
import { R_TAIL, recordOf } from './forms.ts';
import { BLOCK, FIELD_FREQUENCIES, FIELDS, H_CURSOR_POSITIONS } from './layout.ts';
import { decodePositions } from './positions.ts';
import { blockAt, blockCount, parsePosting, postingFrequency } from './postings.ts';
import { blockPositions, chunkCount, isCurrent, readChunk, readFields } from './reading.ts';
import { B_CURSOR_POSITIONS, B_CURSORS, buffer, reserve } from './scratch.ts';

export const CURSOR: u32 = 1568;
const C_FORM: usize = 0;
const C_CHUNK: usize = 4;
const C_COUNT: usize = 8;
const C_INDEX: usize = 12;
const C_POSITIONS: usize = 16;
const C_ROOM: usize = 20;
const C_LOADED: usize = 24;
const C_DOCS: usize = 32;
const C_FREQUENCIES: usize = 544;
const C_STARTS: usize = 1056;

const FIELD_SHIFT: u32 = 29;

export function cursorAt(number: u32): usize {
  return buffer(B_CURSORS) + <usize>number * CURSOR;
}

export function openCursor(number: u32, form: u32): void {
  const cursor = cursorAt(number);
  memory.fill(cursor, 0, 32);
  store<u32>(cursor, form, C_FORM);
  if (chunkCount(form) > 0) readInto(cursor);
}

/** Makes all cursors' positions void, before others are opened. */
export function resetCursors(): void {
  store<u32>(H_CURSOR_POSITIONS, 0);
}

/** Moves on to a document, which is later than the one before. Gives the occurrences there, 0 for none. */
export function seekDocument(cursor: usize, doc: u32): u32 {
  const chunks = chunkCount(load<u32>(cursor, C_FORM));
  while (load<u32>(cursor, C_CHUNK) < chunks) {
    const count = load<u32>(cursor, C_COUNT);
    let index = load<u32>(cursor, C_INDEX);
    while (index < count && load<u32>(cursor + (<usize>index << 2), C_DOCS) < doc) index++;
    store<u32>(cursor, index, C_INDEX);
    if (index < count) {
      const place = cursor + (<usize>index << 2);
      return load<u32>(place, C_DOCS) === doc ? load<u32>(place, C_FREQUENCIES) : 0;
    }
    nextChunk(cursor, chunks, doc);
  }
  return 0;
}

/** Reads the next chunk that may hold a document; blocks of today say where they end, others have to be read. */
function nextChunk(cursor: usize, chunks: u32, doc: u32): void {
  const record = recordOf(load<u32>(cursor, C_FORM));
  const blocks = blockCount(record);
  let chunk = load<u32>(cursor, C_CHUNK) + 1;
  while (chunk < blocks && isCurrent(blockAt(record, chunk)) && load<u32>(blockAt(record, chunk)) < doc) chunk++;
  store<u32>(cursor, chunk, C_CHUNK);
  if (chunk < chunks) readInto(cursor);
}

/** Reads the positions of the chunk at hand; afterwards addresses of positions that were asked for before are void. */
export function readPositions(cursor: usize): void {
  if (load<u32>(cursor, C_LOADED) === 0) loadPositions(cursor);
}

/** Address of the positions in the document at hand, which `readPositions` has read. */
export function positionsOf(cursor: usize): usize {
  assert(load<u32>(cursor, C_LOADED) !== 0, 'positions that were not read');
  const index = load<u32>(cursor, C_INDEX);
  return buffer(B_CURSOR_POSITIONS) + load<u32>(cursor, C_POSITIONS) + (<usize>load<u32>(cursor + (<usize>index << 2), C_STARTS) << 2);
}

function readInto(cursor: usize): void {
  const count = readChunk(load<u32>(cursor, C_FORM), load<u32>(cursor, C_CHUNK), cursor + C_DOCS, cursor + C_FREQUENCIES);
  store<u32>(cursor, count, C_COUNT);
  store<u32>(cursor, 0, C_INDEX);
  store<u32>(cursor, 0, C_LOADED);
}

/** Reads the positions of every posting of the chunk. */
function loadPositions(cursor: usize): void {
  const form = load<u32>(cursor, C_FORM);
  const chunk = load<u32>(cursor, C_CHUNK);
  const count = load<u32>(cursor, C_COUNT);
  let values: u32 = 0;
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    store<u32>(cursor + i, values, C_STARTS);
    values += load<u32>(cursor + i, C_FREQUENCIES);
  }
  makeRoom(cursor, values * 4);
  const positions = buffer(B_CURSOR_POSITIONS) + load<u32>(cursor, C_POSITIONS);
  const record = recordOf(form);
  if (chunk < blockCount(record)) decodePositions(blockPositions(blockAt(record, chunk)), count, cursor + C_FREQUENCIES, positions);
  else readTailPositions(load<u32>(record, R_TAIL), count, positions);
  const fields = readFields(form, chunk, count, cursor + C_FREQUENCIES);
  if (fields === 1) sumPositions(positions, count, cursor + C_FREQUENCIES);
  else makeAbsolute(positions, count, fields);
  store<u32>(cursor, 1, C_LOADED);
}

/** Rooms grow by half at least, so that those left behind are no more than twice as much. */
function makeRoom(cursor: usize, bytes: u32): void {
  const room = load<u32>(cursor, C_ROOM);
  if (bytes <= room) return;
  const wider = max(bytes, room + (room >> 1)) & ~3;
  const at = load<u32>(H_CURSOR_POSITIONS);
  reserve(B_CURSOR_POSITIONS, at + wider);
  store<u32>(H_CURSOR_POSITIONS, at + wider);
  store<u32>(cursor, at, C_POSITIONS);
  store<u32>(cursor, wider, C_ROOM);
}

function readTailPositions(at: usize, count: u32, to: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    at = parsePosting(at);
    for (let left = postingFrequency(); left > 0; left--) {
      const position = getVarint(at);
      at += varintLength(position);
      store<u32>(to, varintValue(position));
      to += 4;
    }
  }
}

/** From differences within each posting of the content alone to positions; content is field 0. */
function sumPositions(at: usize, count: u32, frequencies: usize): void {
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    let position: u32 = 0;
    for (const end = at + (<usize>load<u32>(frequencies + i) << 2); at < end; at += 4) {
      position += load<u32>(at);
      store<u32>(at, position);
    }
  }
}

/** From differences within each field of each posting to positions with their fields. */
function makeAbsolute(at: usize, count: u32, fields: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    for (let field: u32 = 0; field < FIELDS; field++) {
      if ((fields & (1 << field)) === 0) continue;
      let position = field << FIELD_SHIFT;
      for (let left = load<u32>(FIELD_FREQUENCIES + (<usize>(field * BLOCK + i) << 2)); left > 0; left--) {
        position += load<u32>(at);
        store<u32>(at, position);
        at += 4;
      }
    }
  }
}
