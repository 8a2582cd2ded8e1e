// Compaction of one form: its postings are rewritten with the current numbers of documents, without
// the postings of dropped documents.

import { copyBytes, getVarint, putVarint, skipVarints, varintLength, varintValue } from './bytes.ts';
import { blockFieldParts, blockSpecials } from './fields.ts';
import { BLOCK, DOCS, FREQUENCIES, H_REMAP, PART_BLOCKS, PART_TAILS, SINK } from './layout.ts';
import { allocate, release } from './memory.ts';
import { decodePositions } from './positions.ts';
import { blockAt, blockCount, clearTail, D_BLOCKS, D_COUNT, D_DEATHS, MAX_TAIL, parsePosting, postingFrequency,
  postingGap, sealBytes, setTailCount, skipFields, tailCount, tailRoom, widenDirectory } from './postings.ts';
import { blockBytes, blockPositions, isCurrent, isTailCurrent, readBlock } from './reading.ts';
import { R_DIRECTORY, R_DOCUMENTS, R_LAST, R_TAIL, R_TAIL_BYTES, recordOf } from './records.ts';
import { B_NEW_BLOCKS, B_OLD_POSITIONS, B_POSTINGS, reserve } from './scratch.ts';

/** Rewrites a tail of the former epoch. It can only become shorter, because numbers and gaps do. */
export function renewTail(form: u32): void {
  const record = recordOf(form);
  if (isTailCurrent(record)) return;
  const count = tailCount(record);
  if (count === 0) return setTailCount(record, 0);
  const remap = <usize>load<u32>(H_REMAP);
  const tail = <usize>load<u32>(record, R_TAIL);
  let from = tail;
  let to = tail;
  let old: u32 = 0;
  let last: u32 = 0;
  let kept: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const gap = getVarint(from);
    const start = from + varintLength(gap);
    from = skipVarints(parsePosting(from), postingFrequency());
    old += postingGap();
    const doc = load<u32>(remap + (<usize>old << 2));
    if (doc === SINK) continue;
    to = putVarint(to, ((doc - last) << 1) | (varintValue(gap) & 1));
    memory.copy(to, start, from - start);
    to += from - start;
    last = doc;
    kept++;
  }
  store<u32>(record, last, R_LAST);
  dropPostings(record, count - kept);
  if (kept === 0) return clearTail(record);
  shortenTail(record, <u32>(to - tail));
  setTailCount(record, kept);
}

/** Stores the tail in a chunk with the capacity for its bytes, as `extendTail` expects. */
function shortenTail(record: usize, bytes: u32): void {
  const used = <u32>load<u16>(record, R_TAIL_BYTES);
  const tail = <usize>load<u32>(record, R_TAIL);
  if (tailRoom(bytes) !== tailRoom(used)) {
    const shorter = allocate(tailRoom(bytes), PART_TAILS);
    copyBytes(shorter, tail, bytes);
    release(tail, tailRoom(used), PART_TAILS);
    store<u32>(record, <u32>shorter, R_TAIL);
  }
  store<u16>(record, <u16>bytes, R_TAIL_BYTES);
}

/** Subtracts removed postings from the count, and marks the last count of dead ones as outdated. */
function dropPostings(record: usize, count: u32): void {
  store<u32>(record, load<u32>(record, R_DOCUMENTS) - count, R_DOCUMENTS);
  const directory = <usize>load<u32>(record, R_DIRECTORY);
  if (directory !== 0) store<u32>(directory, 0, D_DEATHS);
}

/**
 * Rewrites up to `limit` blocks of the former epoch from `first` on. Returns the index behind the blocks
 * that replaced them; `unfinished` blocks of the former epoch may follow there.
 */
export function renewBlocks(form: u32, first: u32, limit: u32): u32 {
  const record = recordOf(form);
  const blocks = blockCount(record);
  let end = first;
  while (end < blocks && end - first < limit && !isCurrent(blockAt(record, end))) end++;
  if (end === first) return first;
  let made: u32 = 0;
  let pending: u32 = 0; // postings in B_POSTINGS: their number, bytes and last document
  let bytes: u32 = 0;
  let last: u32 = 0;
  for (let i = first; i < end; i++) {
    const block = blockAt(record, i);
    const count = readBlock(block, DOCS, FREQUENCIES);
    let specials = blockSpecials(block);
    let special: usize = specials > 0 ? blockFieldParts(block) : 0;
    let position = readPositions(block, count);
    for (let j: u32 = 0; j < count; j++) {
      const doc = load<u32>(DOCS + (<usize>j << 2));
      const frequency = load<u32>(FREQUENCIES + (<usize>j << 2));
      let part: usize = 0;
      let partEnd: usize = 0;
      if (specials > 0 && load<u8>(special) === j) {
        part = special + 1;
        partEnd = special = skipFields(part);
        specials--;
      }
      if (doc === SINK) {
        position += <usize>frequency << 2;
        dropPostings(record, 1);
        continue;
      }
      const buffer = reserve(B_POSTINGS, bytes + 64 + 6 * frequency + <u32>(partEnd - part));
      const to = copyPosting(buffer + bytes, doc - last, frequency, part, partEnd, position);
      position += <usize>frequency << 2;
      bytes = <u32>(to - buffer);
      last = doc;
      if (++pending === BLOCK || bytes >= MAX_TAIL) {
        noteBlock(made++, sealBytes(buffer, pending));
        pending = bytes = last = 0;
      }
    }
    release(block, blockBytes(block), PART_BLOCKS);
  }
  if (pending > 0) noteBlock(made++, sealBytes(reserve(B_POSTINGS, bytes), pending));
  splice(record, first, end, made);
  return first + made;
}

/** Whether the block at an index is of the former epoch. */
export function hasFormerBlock(form: u32, index: u32): bool {
  const record = recordOf(form);
  return index < blockCount(record) && !isCurrent(blockAt(record, index));
}

/**
 * Writes a posting in the format of a tail; returns the address behind it. `part` to `partEnd` is its field part, if
 * any.
 */
function copyPosting(to: usize, gap: u32, frequency: u32, part: usize, partEnd: usize, positions: usize): usize {
  const single = frequency === 1 && part === 0;
  to = putVarint(to, (gap << 1) | <u32>single);
  if (!single) to = putVarint(to, (frequency << 1) | <u32>(part !== 0));
  memory.copy(to, part, partEnd - part);
  to += partEnd - part;
  for (const end = positions + (<usize>frequency << 2); positions < end; positions += 4)
    to = putVarint(to, load<u32>(positions));
  return to;
}

/** Decodes the positions of the block whose frequencies were just read; returns their address. */
function readPositions(block: usize, count: u32): usize {
  let values: u32 = 0;
  for (let i: usize = 0; i < <usize>count << 2; i += 4) values += load<u32>(FREQUENCIES + i);
  const positions = reserve(B_OLD_POSITIONS, values * 4);
  decodePositions(blockPositions(block), count, FREQUENCIES, positions);
  return positions;
}

function noteBlock(index: u32, block: usize): void {
  store<u32>(reserve(B_NEW_BLOCKS, (index + 1) * 4) + (<usize>index << 2), <u32>block);
}

/** Replaces the blocks from `first` to `end` with `made` blocks of B_NEW_BLOCKS. */
function splice(record: usize, first: u32, end: u32, made: u32): void {
  const blocks = blockCount(record);
  const directory = widenDirectory(record, blocks - (end - first) + made);
  const list = directory + D_BLOCKS;
  memory.copy(list + (<usize>(first + made) << 2), list + (<usize>end << 2), <usize>(blocks - end) << 2);
  if (made > 0) memory.copy(list + (<usize>first << 2), reserve(B_NEW_BLOCKS, 4), <usize>made << 2);
  store<u32>(directory, blocks - (end - first) + made, D_COUNT);
}
