// The positions of the terms of a list, for phrases. A block of the arena:
//
//     16 for each document, and once more behind the last: where its positions start, u32, relative to the block
//     positions, ascending in each document: varint (field << 24 | position) - the previous one (for the first: - 0)

import { getVarint, putVarint, varintLength, varintValue } from '../bytes.ts';
import { CURSOR, cursorAt, occurrencesIn, openCursor, positionsOf, readPositions, resetCursors,
  seekDocument } from '../cursors.ts';
import { mergeOwn } from '../merging.ts';
import { B_CURSORS, B_LIST_POSITIONS, B_MERGE, reserve } from '../scratch.ts';
import { admits, BLOCK_HEAD, L_POSITIONS, largestBlock, takePositions, touch } from './arena.ts';
import { documentMask, documentsOf, formsOf, frequenciesOf, isWide, L_FAMILY, L_FORMS, L_PHRASES, SUMS,
  wordsOf } from './list.ts';

/** Phrases over a list of current documents before its positions are kept: a single phrase is faster without them. */
const WORTHWHILE: u32 = 2;
const NEVER: u32 = 0x80000000;
const MAX_VARINT: u64 = 5;
/** Average bytes of a position. */
const USUAL_VARINT: u64 = 2;
/** Fields and positions that can be stored here; an offset in a phrase may be added to a position. */
const MAX_FIELD: u64 = 0xff;
const MAX_POSITION: u32 = 0xffffff - 2_000_000;

/** Whether the positions of a list, which a phrase needs, are available. */
export function recallPositions(list: usize): bool {
  if (load<u32>(list, L_FAMILY) !== SUMS) return false;
  const block = <usize>load<u32>(list, L_POSITIONS);
  if (block !== 0) {
    touch(block);
    return true;
  }
  const asked = min(load<u32>(list, L_PHRASES) + 1, NEVER);
  store<u32>(list, asked, L_PHRASES);
  return asked >= WORTHWHILE && asked < NEVER && make(list);
}

/** Address of the positions in the document at a place of the list; they end where those of the next begin. */
export function positionsAt(list: usize, place: u32): usize {
  const block = <usize>load<u32>(list, L_POSITIONS);
  return block + load<u32>(block + BLOCK_HEAD + (<usize>place << 2));
}

/** Writes positions as u64, with the field in the upper half, to `to`; returns the address behind them. */
export function widenPositions(at: usize, end: usize, to: usize): usize {
  let position: u32 = 0;
  while (at < end) {
    const gap = getVarint(at);
    at += varintLength(gap);
    position += varintValue(gap);
    store<u64>(to, (<u64>(position >> 24) << 32) | (position & 0xffffff));
    to += 8;
  }
  return to;
}

function make(list: usize): bool {
  const starts = <u64>BLOCK_HEAD + <u64>(documentsOf(list) + 1) * 4;
  const positions = occurrences(list);
  const usual = starts + positions * USUAL_VARINT;
  if (usual > <u64>largestBlock() || !admits(<u32>usual)) return false;
  const coded = reserve(B_LIST_POSITIONS, <u32>(starts + positions * MAX_VARINT));
  const bytes = code(list, coded);
  if (bytes === 0) store<u32>(list, NEVER, L_PHRASES);
  const block: usize = bytes === 0 ? 0 : takePositions(bytes, list);
  if (block === 0) return false;
  memory.copy(block + BLOCK_HEAD, coded + BLOCK_HEAD, bytes - BLOCK_HEAD);
  return true;
}

/** Makes a block at `to`, where there is enough space, and returns its bytes; 0 if a position cannot be stored. */
function code(list: usize, to: usize): u32 {
  const documents = documentsOf(list);
  const forms = load<u32>(list, L_FORMS);
  resetCursors();
  reserve(B_CURSORS, forms * CURSOR);
  for (let i: u32 = 0; i < forms; i++) openCursor(i, load<u32>(formsOf(list) + (<usize>i << 2)));
  const words = wordsOf(list);
  const mask = documentMask(list);
  const starts = to + BLOCK_HEAD;
  let end = starts + (<usize>(documents + 1) << 2);
  for (let i: u32 = 0; i < documents; i++) {
    store<u32>(starts + (<usize>i << 2), <u32>(end - to));
    end = codeDocument(load<u32>(words + (<usize>i << 2)) & mask, forms, end);
    if (end === 0) return 0;
  }
  store<u32>(starts + (<usize>documents << 2), <u32>(end - to));
  return <u32>(end - to);
}

function occurrences(list: usize): u64 {
  const words = wordsOf(list);
  const frequencies = frequenciesOf(list);
  const wide = isWide(list);
  let sum: u64 = 0;
  for (let i: usize = 0; i < <usize>documentsOf(list) << 2; i += 4) {
    sum += <u64>(wide ? load<u32>(frequencies + i) : load<u32>(words + i) >> 24);
  }
  return sum;
}

/** Writes the positions of all forms in a document; returns the address behind them, 0 if one cannot be stored. */
function codeDocument(doc: u32, forms: u32, to: usize): usize {
  let count: u32 = 0;
  for (let i: u32 = 0; i < forms; i++) count += seekDocument(cursorAt(i), doc);
  for (let i: u32 = 0; i < forms; i++) if (occurrencesIn(cursorAt(i), doc) > 0) readPositions(cursorAt(i));
  const merged = reserve(B_MERGE, count * 8);
  let end = merged;
  for (let i: u32 = 0; i < forms; i++) {
    const there = occurrencesIn(cursorAt(i), doc);
    if (there > 0) end = mergeOwn(merged, end, positionsOf(cursorAt(i)), there);
  }
  let before: u32 = 0;
  for (let at = merged; at < end; at += 8) {
    const position = load<u64>(at);
    if (position >> 32 > MAX_FIELD || <u32>position > MAX_POSITION) return 0;
    const number = <u32>(position >> 32 << 24) | <u32>position;
    to = putVarint(to, number - before);
    before = number;
  }
  return to;
}
