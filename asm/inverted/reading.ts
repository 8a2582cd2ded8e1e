// Reading postings: a form's postings are a number of chunks, its blocks and then its tail.

import { getVarint, skipVarints, varintLength, varintValue } from './bytes.ts';
import { H_EPOCH, H_REMAP, H_REMAP_DOCS, H_TOUCHED, TAIL_PLACES } from './layout.ts';
import { skipPacked, unpack } from './packing.ts';
import { BLOCK_HEADER, blockAt, blockCount, skipFields, TAIL_EPOCH_SHIFT, tailCount } from './postings.ts';
import { R_TAIL, R_TAIL_POSTINGS, recordOf } from './records.ts';

export function chunkCount(form: u32): u32 {
  const record = recordOf(form);
  return blockCount(record) + <u32>(tailCount(record) > 0);
}

/** Blocks that are prefetched at once; a power of two. */
const TOUCHED: u32 = 32;
/** Bytes of a block that are prefetched, and the size of a cache line. */
const MOST_TOUCHED: usize = 1024;
const LINE: usize = 64;
/** Bytes of a block that `touchBlocks` prefetches. */
const ALREADY_TOUCHED: usize = 240;

/**
 * Loads the parts of the next blocks that `readBlock` will need into the CPU caches. Blocks are anywhere in memory: a
 * cache miss for each would take longer than decoding it. These loads do not depend on each other, so their misses
 * overlap.
 */
function touchBlocks(record: usize, first: u32): void {
  const end = min(first + TOUCHED, blockCount(record));
  let some: u32 = 0;
  for (let i = first; i < end; i++) {
    const block = blockAt(record, i);
    some |= load<u32>(block) | load<u32>(block, 64) | load<u32>(block, 128) | load<u32>(block, 176);
  }
  store<u32>(H_TOUCHED, some);
}

/** The same for the positions of some blocks from one on; returns the index of the first block that it left out. */
export function touchPositions(record: usize, first: u32): u32 {
  const end = min(first + TOUCHED / 2, blockCount(record));
  let some: u32 = 0;
  for (let i = first; i < end; i++) {
    const block = blockAt(record, i);
    // If there are many positions, the needed ones may be anywhere, so not all are prefetched.
    const behind = block + min<usize>(blockBytes(block), MOST_TOUCHED);
    for (let at = max(blockPositions(block), block + ALREADY_TOUCHED); at < behind; at += LINE) some |= load<u32>(at);
  }
  store<u32>(H_TOUCHED, some);
  return end;
}

/**
 * Decodes the documents and frequencies of a chunk to two arrays of 128 x u32; returns their number.
 * Documents that compaction drops appear as the sink, anywhere among the others, which ascend.
 */
export function readChunk(form: u32, chunk: u32, docs: usize, frequencies: usize): u32 {
  const record = recordOf(form);
  if (chunk >= blockCount(record)) return readTail(record, docs, frequencies);
  if (chunk % TOUCHED === 0) touchBlocks(record, chunk);
  return readBlock(blockAt(record, chunk), docs, frequencies);
}

/** Address of a posting of a tail, given its index and a copy of TAIL_PLACES. */
export function postingOfTail(tail: usize, places: usize, index: u32): usize {
  return tail + <usize>load<u16>(places + (<usize>index << 1));
}

/** Number of postings of a chunk, as `readChunk` reads them. */
export function chunkPostings(record: usize, chunk: u32): u32 {
  return chunk < blockCount(record) ? blockPostings(blockAt(record, chunk)) : tailCount(record);
}

export function blockPostings(block: usize): u32 {
  return (load<u32>(block, 8) & 0x7f) + 1;
}

export function blockFields(block: usize): u32 {
  return (load<u32>(block, 8) >> 7) & 0x3f;
}

export function blockBytes(block: usize): u32 {
  return load<u32>(block, 12);
}

/** Whether a block names documents by their current numbers. */
export function isCurrent(block: usize): bool {
  return ((load<u32>(block, 8) >> 13) & 1) === load<u32>(H_EPOCH);
}

export function blockPositions(block: usize): usize {
  return block + (load<u32>(block, 8) >> 14);
}

/** Decodes only the documents of a block of the current epoch; returns their number. */
export function readBlockDocuments(block: usize, docs: usize): u32 {
  assert(isCurrent(block), 'documents of other numbers');
  const count = blockPostings(block);
  unpack(block + BLOCK_HEADER, count, docs, 1);
  sumGaps(docs, count, load<u32>(block, 4));
  return count;
}

/** Decodes only the frequencies of a block; returns their number. */
export function readBlockFrequencies(block: usize, frequencies: usize): u32 {
  const count = blockPostings(block);
  unpack(skipPacked(block + BLOCK_HEADER, count), count, frequencies, 1);
  return count;
}

export function readBlock(block: usize, docs: usize, frequencies: usize): u32 {
  const count = blockPostings(block);
  const behind = unpack(block + BLOCK_HEADER, count, docs, 1);
  const end = unpack(behind, count, frequencies, 1);
  assert(end <= blockPositions(block), 'a block whose parts overlap');
  sumGaps(docs, count, load<u32>(block, 4));
  if (!isCurrent(block)) renumber(docs, count);
  return count;
}

/**
 * Running sum of gaps from the first document, of which the first is 1, four at a time, and twice in a round: there is
 * space for 128.
 */
function sumGaps(docs: usize, count: u32, first: u32): void {
  let before = i32x4.splat(<i32>(first - 1));
  for (const end = docs + (<usize>count << 2); docs < end; docs += 32) {
    const a = i32x4.add(sumOfFour(v128.load(docs)), before);
    v128.store(docs, a);
    const b = i32x4.add(sumOfFour(v128.load(docs, 16)), v128.shuffle<i32>(a, a, 3, 3, 3, 3));
    v128.store(docs, b, 16);
    before = v128.shuffle<i32>(b, b, 3, 3, 3, 3);
  }
}

/** Running sums. The zero lanes are placed so that a shuffle is one instruction. */
function sumOfFour(values: v128): v128 {
  const zero = i32x4.splat(0);
  const pairs = i32x4.add(values, v128.shuffle<i32>(zero, values, 3, 4, 5, 6));
  return i32x4.add(pairs, v128.shuffle<i32>(zero, pairs, 2, 3, 4, 5));
}

/** Maps numbers before compaction to current ones; dropped documents become the sink. */
function renumber(docs: usize, count: u32): void {
  const remap = <usize>load<u32>(H_REMAP);
  for (let i: usize = 0; i < <usize>count; i++) {
    assert(load<u32>(docs + (i << 2)) < load<u32>(H_REMAP_DOCS), 'a document that was never there');
    store<u32>(docs + (i << 2), load<u32>(remap + (<usize>load<u32>(docs + (i << 2)) << 2)));
  }
}

function readTail(record: usize, docs: usize, frequencies: usize): u32 {
  const count = tailCount(record);
  const tail = <usize>load<u32>(record, R_TAIL);
  let at = tail;
  let doc: u32 = 0;
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    store<u16>(TAIL_PLACES + (i >> 1), <u16>(at - tail));
    const word = load<u32>(at);
    const more = (word >> 7) & 1;
    const position = word >> (8 + (more << 3));
    const longer = (position >> 7) & 1;
    let frequency: u32 = 1;
    // Most postings have one occurrence in the content, and two integers of one or two bytes: they take no further
    // branch.
    if ((word & 1 & ~((word >> 15) & more) & ~((position >> 15) & longer)) !== 0) {
      doc += ((word & 0x7f) | ((word >> 1) & 0x3f80 & (0 - more))) >> 1;
      at += <usize>(2 + more + longer);
    } else {
      const head = getVarint(at);
      doc += varintValue(head) >> 1;
      at += varintLength(head);
      if ((varintValue(head) & 1) === 0) {
        const times = getVarint(at);
        frequency = varintValue(times) >> 1;
        at += varintLength(times);
        if ((varintValue(times) & 1) !== 0) at = skipFields(at);
      }
      at = skipVarints(at, frequency);
    }
    store<u32>(docs + i, doc);
    store<u32>(frequencies + i, frequency);
  }
  if (!isTailCurrent(record)) renumber(docs, count);
  return count;
}

export function isTailCurrent(record: usize): bool {
  return <u32>load<u8>(record, R_TAIL_POSTINGS) >> TAIL_EPOCH_SHIFT === load<u32>(H_EPOCH);
}
