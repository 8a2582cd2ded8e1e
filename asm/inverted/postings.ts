// The postings of a form, in the order of documents: full blocks, found through a directory, and then
// a tail that is written to.
//
// A tail is a chunk of bytes, one posting after the other (varints all):
//
//     (document - the previous one) << 1 | one occurrence, in the content?      (the first: document - 0)
//     [occurrences << 1 | other fields than content?]
//     [the field part]
//     positions, field by field: position - the previous one in that field (the first: position - 0)
//
// A field part: u8 bits of the fields, varint occurrences in each plain field from 1 on that has its bit, and, if the
// bit of the further ones is set, for each of those: varint (field - the previous one - 1) << 2 | once? << 1 | more?,
// and the varint occurrences unless the form occurs there once. Before the first further field, the previous one is the
// last plain field.
//
// A tail of 128 postings, or of 16 KiB, is sealed into a block:
//
// 0 last document 4 first document 8 postings - 1 (7 bits), fields << 7 (6 bits, see `blockBits`), epoch << 13, start
// of positions << 14
//     12 bytes of the block   16 documents, packed: gaps - 1   frequencies, packed: - 1
//     [u8 n, n x (u8 index, field part)]   unless the only field is the content
//     positions as in a tail, in the code of `positions.ts`
//
// A directory: u32 blocks, u32 capacity, u32 deaths at the last count of dead postings, u32 dead postings, addresses of
// blocks.

import { copyBytes, getVarint, putBytes, putVarint, SHORT_VARINT, shortVarint, shortVarintSize, skipVarints,
  varintLength, varintSize, varintValue } from './bytes.ts';
import { BLOCK, FURTHER, H_EPOCH, H_POSTING, OWN_FIELDS, PART_BLOCKS, PART_DIRECTORIES, PART_TAILS, SEALED_DOCS,
  SEALED_FREQUENCIES } from './layout.ts';
import { allocate, release, resize, roomFor } from './memory.ts';
import { pack } from './packing.ts';
import { codePositions, forgetPositions, notePositions, noteSingle } from './position-coding.ts';
import { R_DIRECTORY, R_DOCUMENTS, R_FIELDS, R_LAST, R_TAIL, R_TAIL_BYTES, R_TAIL_POSTINGS } from './records.ts';
import { B_BLOCK, B_BLOCK_FIELDS, buffer, reserve } from './scratch.ts';

export const MAX_TAIL: u32 = 16384;
export const TAIL_COUNT_MASK: u32 = 0x7f;
export const TAIL_EPOCH_SHIFT: u32 = 7;

export const D_COUNT: usize = 0;
export const D_CAPACITY: usize = 4;
export const D_DEATHS: usize = 8;
export const D_DEAD: usize = 12;
export const D_BLOCKS: usize = 16;

export const BLOCK_HEADER: usize = 16;

const OWN_BITS: u32 = (1 << OWN_FIELDS) - 1;

// Bits in front of a further field of a field part.
export const ONCE: u32 = 2;
export const MORE: u32 = 1;

/**
 * Appends a posting to the form of a record. Its document must be later than all others, and the tail of the current
 * epoch. `from` to `end` are the bytes of the posting behind its first number, which says that it is not a single one
 * (see `appendSingle`).
 */
export function appendPosting(record: usize, doc: u32, from: usize, end: usize, fields: u32): void {
  const bytes = <u32>(end - from);
  beginPosting(record, bytes + 5, fields);
  if (bytes + 5 > MAX_TAIL) return sealAlone(record, doc, from, end);
  const gap = gapTo(record, doc) << 1;
  const at = extendTail(record, varintSize(gap) + bytes);
  copyBytes(putVarint(at, gap), from, bytes);
  countPosting(record, doc);
}

/** The same for a posting with one occurrence, in the content. */
export function appendSingle(record: usize, doc: u32, position: u32): void {
  beginPosting(record, 10, 1);
  const gap = (gapTo(record, doc) << 1) | 1;
  if ((gap | position) < SHORT_VARINT) {
    const size = shortVarintSize(gap);
    const bytes = size + shortVarintSize(position);
    putBytes(extendTail(record, bytes), <u64>shortVarint(gap) | (<u64>shortVarint(position) << (size << 3)), bytes);
  } else {
    const at = extendTail(record, varintSize(gap) + varintSize(position));
    putVarint(putVarint(at, gap), position);
  }
  countPosting(record, doc);
}

/** Counts a posting, and seals the tail first if it has no space for the bytes. */
function beginPosting(record: usize, bytes: u32, fields: u32): void {
  if (tailCount(record) > 0 && <u32>load<u16>(record, R_TAIL_BYTES) + bytes > MAX_TAIL) sealTail(record);
  store<u8>(record, load<u8>(record, R_FIELDS) | <u8>fields, R_FIELDS);
  store<u32>(record, load<u32>(record, R_DOCUMENTS) + 1, R_DOCUMENTS);
}

/** Difference between a document and the last one of the tail; a tail starts with a whole document number. */
export function gapTo(record: usize, doc: u32): u32 {
  return doc - (tailCount(record) === 0 ? 0 : load<u32>(record, R_LAST));
}

/** Counts one more posting of the tail, and seals the tail if it is full. */
function countPosting(record: usize, doc: u32): void {
  store<u32>(record, doc, R_LAST);
  const count = tailCount(record) + 1;
  if (count === BLOCK) sealTail(record, BLOCK);
  else setTailCount(record, count);
}

export function tailCount(record: usize): u32 {
  return <u32>load<u8>(record, R_TAIL_POSTINGS) & TAIL_COUNT_MASK;
}

/** Sets the number of postings in a tail, which becomes one of the current epoch. */
export function setTailCount(record: usize, count: u32): void {
  store<u8>(record, <u8>(count | (load<u32>(H_EPOCH) << TAIL_EPOCH_SHIFT)), R_TAIL_POSTINGS);
}

/**
 * Capacity of a tail of `bytes` bytes; it follows from these alone. Steps are wider than those of the allocator, so
 * that a tail is moved less often; tails of rare forms, which are the majority, have narrow steps.
 */
export function tailRoom(bytes: u32): u32 {
  const step: u32 = bytes <= 32 ? 8 : bytes <= 128 ? 16 : 1 << (28 - clz(bytes - 1));
  return (bytes + step - 1) & (0 - step);
}

/** Makes the tail longer; returns the address of the new bytes. */
export function extendTail(record: usize, bytes: u32): usize {
  const used = <u32>load<u16>(record, R_TAIL_BYTES);
  let tail = <usize>load<u32>(record, R_TAIL);
  const room = tailRoom(used);
  if (used + bytes > room) {
    const wider = allocate(tailRoom(used + bytes), PART_TAILS);
    copyBytes(wider, tail, used);
    if (tail !== 0) release(tail, room, PART_TAILS);
    store<u32>(record, <u32>wider, R_TAIL);
    tail = wider;
  }
  store<u16>(record, <u16>(used + bytes), R_TAIL_BYTES);
  return tail + used;
}

export function clearTail(record: usize): void {
  release(load<u32>(record, R_TAIL), tailRoom(load<u16>(record, R_TAIL_BYTES)), PART_TAILS);
  store<u32>(record, 0, R_TAIL);
  store<u16>(record, 0, R_TAIL_BYTES);
  setTailCount(record, 0);
}

function sealTail(record: usize, count: u32 = tailCount(record)): void {
  appendBlock(record, sealBytes(load<u32>(record, R_TAIL), count));
  clearTail(record);
}

/** Makes a block of its own for a posting that is too long for a tail. */
function sealAlone(record: usize, doc: u32, from: usize, end: usize): void {
  const alone = allocate(<u32>(end - from) + 5, PART_TAILS);
  memory.copy(putVarint(alone, doc << 1), from, end - from);
  appendBlock(record, sealBytes(alone, 1));
  release(alone, <u32>(end - from) + 5, PART_TAILS);
  store<u32>(record, doc, R_LAST);
}

// ---- Directories ---------------------------------------------------------------------------

export function appendBlock(record: usize, block: usize): void {
  const directory = <usize>load<u32>(record, R_DIRECTORY);
  const count: u32 = directory === 0 ? 0 : load<u32>(directory, D_COUNT);
  const wider = widenDirectory(record, count + 1);
  store<u32>(wider + (<usize>count << 2), <u32>block, D_BLOCKS);
  store<u32>(wider, count + 1, D_COUNT);
}

/** Makes space for `blocks` blocks; returns the directory. */
export function widenDirectory(record: usize, blocks: u32): usize {
  const directory = <usize>load<u32>(record, R_DIRECTORY);
  const capacity: u32 = directory === 0 ? 0 : load<u32>(directory, D_CAPACITY);
  if (blocks <= capacity) return directory;
  const size = roomFor(<u32>D_BLOCKS + 4 * max(blocks, capacity + (capacity >> 2)));
  const wider = resize(directory, directorySize(capacity), size, PART_DIRECTORIES);
  store<u32>(wider, (size - <u32>D_BLOCKS) >> 2, D_CAPACITY);
  store<u32>(record, <u32>wider, R_DIRECTORY);
  return wider;
}

export function releaseDirectory(record: usize): void {
  const directory = <usize>load<u32>(record, R_DIRECTORY);
  if (directory === 0) return;
  assert(load<u32>(directory, D_COUNT) === 0, 'a directory with blocks');
  release(directory, directorySize(load<u32>(directory, D_CAPACITY)), PART_DIRECTORIES);
  store<u32>(record, 0, R_DIRECTORY);
}

function directorySize(capacity: u32): u32 {
  return <u32>D_BLOCKS + 4 * capacity;
}

export function blockCount(record: usize): u32 {
  const directory = <usize>load<u32>(record, R_DIRECTORY);
  return directory === 0 ? 0 : load<u32>(directory, D_COUNT);
}

export function blockAt(record: usize, index: u32): usize {
  assert(index < blockCount(record), 'no such block');
  return load<u32>(<usize>load<u32>(record, R_DIRECTORY) + (<usize>index << 2), D_BLOCKS);
}

/**
 * The bits of fields in the form that a block stores: the last of the six is for all fields other than the caller's own
 * plain ones.
 */
export function blockBits(fields: u32): u32 {
  return (fields & OWN_BITS) | (<u32>((fields & ~OWN_BITS) !== 0) << OWN_FIELDS);
}

// ---- Sealing -------------------------------------------------------------------------------

/** Makes a block from the postings of a tail that starts with a whole document number; returns its address. */
export function sealBytes(tail: usize, count: u32): usize {
  const end = readTail(tail, count);
  const block = reserve(B_BLOCK, 8192 + 8 * <u32>(end - tail));
  const special = buffer(B_BLOCK_FIELDS);
  const first = load<u32>(SEALED_DOCS);
  store<u32>(SEALED_DOCS, 0);
  let at = pack(SEALED_DOCS, count, block + BLOCK_HEADER);
  at = pack(SEALED_FREQUENCIES, count, at);
  const fields = load<u32>(special);
  if (fields !== 1) {
    memory.copy(at, special + 12, load<u32>(special, 4));
    at += load<u32>(special, 4);
  }
  const start = <u32>(at - block);
  at = codePositions(at);
  store<u32>(block, load<u32>(special, 8));
  store<u32>(block, first, 4);
  store<u32>(block, (count - 1) | (blockBits(fields) << 7) | (load<u32>(H_EPOCH) << 13) | (start << 14), 8);
  store<u32>(block, <u32>(at - block), 12);
  const kept = allocate(<u32>(at - block), PART_BLOCKS);
  memory.copy(kept, block, at - block);
  return kept;
}

/**
 * Reads a tail into the buffers for sealing; returns the address behind it. The first document, then gaps - 1, are
 * written to SEALED_DOCS. B_BLOCK_FIELDS: u32 bits of all the fields, u32 bytes of what follows behind the last
 * document, u32 last document, u8 n, n x (u8 index, field part).
 */
function readTail(tail: usize, count: u32): usize {
  reserve(B_BLOCK_FIELDS, 4096);
  forgetPositions();
  let bytes: u32 = 1;
  let specials: u8 = 0;
  let doc: u32 = 0;
  let all: u32 = 0;
  let at = tail;
  for (let i: u32 = 0; i < count; i++) {
    const head = getVarint(at);
    doc += varintValue(head) >> 1;
    store<u32>(SEALED_DOCS + (<usize>i << 2), (varintValue(head) >> 1) - <u32>(i > 0));
    if ((varintValue(head) & 1) !== 0) {
      all |= 1;
      store<u32>(SEALED_FREQUENCIES + (<usize>i << 2), 0);
      at = noteSingle(at + varintLength(head));
      continue;
    }
    at = parsePosting(at);
    const frequency = postingFrequency();
    all |= postingFields();
    store<u32>(SEALED_FREQUENCIES + (<usize>i << 2), frequency - 1);
    if (postingFields() !== 1) {
      const part = <u32>(at - postingFieldsAt());
      const to = reserve(B_BLOCK_FIELDS, 16 + bytes + part) + 12 + bytes;
      store<u8>(to, <u8>i);
      copyBytes(to + 1, postingFieldsAt(), part);
      bytes += 1 + part;
      specials++;
    }
    at = notePositions(at, frequency);
  }
  const special = buffer(B_BLOCK_FIELDS);
  store<u32>(special, all);
  store<u32>(special, bytes, 4);
  store<u32>(special, doc, 8);
  store<u8>(special, specials, 12);
  return at;
}

// ---- Postings of a tail --------------------------------------------------------------------

/** Reads the head of a posting; returns the address of its positions. The functions below return what it has read. */
export function parsePosting(at: usize): usize {
  const gap = getVarint(at);
  at += varintLength(gap);
  store<u32>(H_POSTING, varintValue(gap) >> 1);
  store<u32>(H_POSTING, 1, 4);
  store<u32>(H_POSTING, 1, 8);
  if ((varintValue(gap) & 1) !== 0) return at;
  const head = getVarint(at);
  at += varintLength(head);
  store<u32>(H_POSTING, varintValue(head) >> 1, 4);
  if ((varintValue(head) & 1) === 0) return at;
  store<u32>(H_POSTING, load<u8>(at), 8);
  store<u32>(H_POSTING, <u32>at, 12);
  return skipFields(at);
}

export function postingGap(): u32 {
  return load<u32>(H_POSTING);
}

export function postingFrequency(): u32 {
  return load<u32>(H_POSTING, 4);
}

/** Bits of the fields; if they are the content alone, 1, there is no field part. */
export function postingFields(): u32 {
  return load<u32>(H_POSTING, 8);
}

export function postingFieldsAt(): usize {
  return load<u32>(H_POSTING, 12);
}

export function skipFields(at: usize): usize {
  const bits = <u32>load<u8>(at);
  at = skipVarints(at + 1, popcnt(bits & ~(FURTHER | 1)));
  for (let more = (bits & FURTHER) !== 0; more;) {
    const head = getVarint(at);
    at = skipVarints(at, (varintValue(head) & ONCE) !== 0 ? 1 : 2);
    more = (varintValue(head) & MORE) !== 0;
  }
  return at;
}

/** Writes one further field of a field part, given its distance from the previous one. */
export function putFurther(at: usize, gap: u32, frequency: u32, more: bool): usize {
  at = putVarint(at, ((gap - 1) << 2) | (frequency === 1 ? ONCE : 0) | (more ? MORE : 0));
  return frequency === 1 ? at : putVarint(at, frequency);
}
