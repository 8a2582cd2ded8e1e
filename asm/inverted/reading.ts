// Reading postings back: a form's postings are a number of chunks, its blocks and then its tail.

import { skipVarints } from './bytes.ts';
import { isDead } from './documents.ts';
import { R_DIRECTORY, R_DOCUMENTS, R_FIELDS, R_TAIL, R_TAIL_POSTINGS, recordOf } from './forms.ts';
import { BLOCK, DOCS, FIELD_FREQUENCIES, FIELDS, FREQUENCIES, H_DEAD_DOCS, H_DEATHS, H_EPOCH, H_REMAP, H_REMAP_DOCS } from './layout.ts';
import { unpack } from './packing.ts';
import {
  BLOCK_HEADER, blockAt, blockCount, D_DEAD, D_DEATHS, parsePosting, postingFields, postingFieldsAt, postingFrequency, postingGap,
  spreadFields, TAIL_EPOCH_SHIFT, tailCount,
} from './postings.ts';

export function chunkCount(form: u32): u32 {
  const record = recordOf(form);
  return blockCount(record) + <u32>(tailCount(record) > 0);
}

/**
 * Decodes the documents and frequencies of a chunk to two arrays of 128 x u32; gives their number.
 * Documents that compaction drops appear as the sink, anywhere among the others, which ascend.
 */
export function readChunk(form: u32, chunk: u32, docs: usize, frequencies: usize): u32 {
  const record = recordOf(form);
  return chunk < blockCount(record) ? readBlock(blockAt(record, chunk), docs, frequencies) : readTail(record, docs, frequencies);
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

/** Whether a block names documents by their numbers of today. */
export function isCurrent(block: usize): bool {
  return ((load<u32>(block, 8) >> 13) & 1) === load<u32>(H_EPOCH);
}

/** Address of the coded positions. */
export function blockPositions(block: usize): usize {
  return block + (load<u32>(block, 8) >> 14);
}

export function readBlock(block: usize, docs: usize, frequencies: usize): u32 {
  const count = blockPostings(block);
  const behind = unpack(block + BLOCK_HEADER, count, docs);
  const end = unpack(behind, count, frequencies);
  assert(end <= blockPositions(block), 'a block whose parts overlap');
  sumGaps(docs, count, load<u32>(block, 4));
  const one = i32x4.splat(1);
  for (let i: usize = 0; i < <usize>count << 2; i += 16) v128.store(frequencies + i, i32x4.add(v128.load(frequencies + i), one));
  if (!isCurrent(block)) renumber(docs, count);
  return count;
}

/** Running sum of gaps - 1 from the first document, four at a time. */
function sumGaps(docs: usize, count: u32, first: u32): void {
  let before = i32x4.splat(<i32>first);
  let index = i32x4(0, 1, 2, 3);
  const four = i32x4.splat(4);
  const zero = i32x4.splat(0);
  for (let i: usize = 0; i < <usize>count << 2; i += 16) {
    let sum = v128.load(docs + i);
    sum = i32x4.add(sum, v128.shuffle<i32>(zero, sum, 0, 4, 5, 6));
    sum = i32x4.add(sum, v128.shuffle<i32>(zero, sum, 0, 0, 4, 5));
    sum = i32x4.add(sum, before);
    v128.store(docs + i, i32x4.add(sum, index));
    before = v128.shuffle<i32>(sum, sum, 3, 3, 3, 3);
    index = i32x4.add(index, four);
  }
}

/** From numbers before compaction to today's; dropped documents become the sink. */
function renumber(docs: usize, count: u32): void {
  const remap = <usize>load<u32>(H_REMAP);
  for (let i: usize = 0; i < <usize>count; i++) {
    assert(load<u32>(docs + (i << 2)) < load<u32>(H_REMAP_DOCS), 'a document that was never there');
    store<u32>(docs + (i << 2), load<u32>(remap + (<usize>load<u32>(docs + (i << 2)) << 2)));
  }
}

function readTail(record: usize, docs: usize, frequencies: usize): u32 {
  const count = tailCount(record);
  let at = <usize>load<u32>(record, R_TAIL);
  let doc: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    at = parsePosting(at);
    doc += postingGap();
    store<u32>(docs + (<usize>i << 2), doc);
    store<u32>(frequencies + (<usize>i << 2), postingFrequency());
    at = skipVarints(at, postingFrequency());
  }
  if (!isTailCurrent(record)) renumber(docs, count);
  return count;
}

export function isTailCurrent(record: usize): bool {
  return <u32>load<u8>(record, R_TAIL_POSTINGS) >> TAIL_EPOCH_SHIFT === load<u32>(H_EPOCH);
}

/**
 * Spreads the frequencies of a chunk that was just read (`frequencies` of `readChunk`, `count` of them)
 * over the fields: FIELD_FREQUENCIES[field][i]. Gives the bits of the fields that occur; rows of others
 * hold what they held.
 */
export function readFields(form: u32, chunk: u32, count: u32, frequencies: usize): u32 {
  const record = recordOf(form);
  memory.copy(FIELD_FREQUENCIES, frequencies, <usize>count << 2);
  if (load<u8>(record, R_FIELDS) === 1) return 1;
  return chunk < blockCount(record) ? readBlockFields(blockAt(record, chunk)) : readTailFields(record, count);
}

function clearFields(fields: u32): void {
  for (let field: u32 = 1; field < FIELDS; field++) {
    if ((fields & (1 << field)) !== 0) memory.fill(FIELD_FREQUENCIES + (<usize>field << 9), 0, 4 * BLOCK);
  }
}

function readBlockFields(block: usize): u32 {
  const fields = blockFields(block);
  if (fields === 1) return 1;
  clearFields(fields);
  const count = blockPostings(block);
  // The part lies behind the two packed runs; DOCS is free again, since its caller has copied or used it.
  let at = skipPacked(skipPacked(block + BLOCK_HEADER, count), count);
  let specials = <u32>load<u8>(at++);
  for (; specials > 0; specials--) {
    at = spreadFields(at + 2, load<u8>(at, 1), load<u8>(at), FIELD_FREQUENCIES);
  }
  assert(at === blockPositions(block), 'a field part that does not end at the positions');
  return fields;
}

function skipPacked(at: usize, count: u32): usize {
  const bits = <u32>load<u8>(at);
  const exceptions = <u32>load<u8>(at, 1);
  at += 2 + ((<usize>(((count + 3) >> 2) * bits + 31) >> 5) << 4);
  for (let i: u32 = 0; i < exceptions; i++) at = skipVarints(at + 1, 1);
  return at;
}

function readTailFields(record: usize, count: u32): u32 {
  clearFields(<u32>load<u8>(record, R_FIELDS));
  let at = <usize>load<u32>(record, R_TAIL);
  for (let i: u32 = 0; i < count; i++) {
    at = parsePosting(at);
    if (postingFields() !== 1) spreadFields(postingFieldsAt(), postingFields(), i, FIELD_FREQUENCIES);
    at = skipVarints(at, postingFrequency());
  }
  return <u32>load<u8>(record, R_FIELDS) | 1;
}

/** Live documents that have a form. Dead postings are counted when documents died since the last count. */
export function liveDocuments(form: u32): u32 {
  const record = recordOf(form);
  const all = load<u32>(record, R_DOCUMENTS);
  if (load<u32>(H_DEAD_DOCS) === 0 && load<u32>(H_REMAP) === 0) return all;
  const directory = <usize>load<u32>(record, R_DIRECTORY);
  const deaths = load<u32>(H_DEATHS);
  if (directory !== 0 && load<u32>(directory, D_DEATHS) === deaths) return all - load<u32>(directory, D_DEAD);
  const dead = countDead(form);
  if (directory !== 0) {
    store<u32>(directory, deaths, D_DEATHS);
    store<u32>(directory, dead, D_DEAD);
  }
  return all - dead;
}

function countDead(form: u32): u32 {
  let dead: u32 = 0;
  const chunks = chunkCount(form);
  for (let chunk: u32 = 0; chunk < chunks; chunk++) {
    const count = readChunk(form, chunk, DOCS, FREQUENCIES);
    for (let i: usize = 0; i < <usize>count; i++) dead += <u32>isDead(load<u32>(DOCS + (i << 2)));
  }
  return dead;
}

/** Live documents that have a form in a field. */
export function liveDocumentsInField(form: u32, field: u32): u32 {
  const record = recordOf(form);
  const bit: u32 = 1 << field;
  if ((<u32>load<u8>(record, R_FIELDS) & bit) === 0) return 0;
  if (<u32>load<u8>(record, R_FIELDS) === bit) return liveDocuments(form);
  let documents: u32 = 0;
  const chunks = chunkCount(form);
  for (let chunk: u32 = 0; chunk < chunks; chunk++) {
    const count = readChunk(form, chunk, DOCS, FREQUENCIES);
    if ((readFields(form, chunk, count, FREQUENCIES) & bit) === 0) continue;
    for (let i: usize = 0; i < <usize>count; i++) {
      const occurs = load<u32>(FIELD_FREQUENCIES + (<usize>field << 9) + (i << 2)) > 0;
      documents += <u32>(occurs && !isDead(load<u32>(DOCS + (i << 2))));
    }
  }
  return documents;
}

/** Occurrences of a form in a document, 0 for none. */
export function frequencyIn(form: u32, doc: u32): u32 {
  const record = recordOf(form);
  const chunks = chunkCount(form);
  for (let chunk = firstChunkFor(record, doc); chunk < chunks; chunk++) {
    const count = readChunk(form, chunk, DOCS, FREQUENCIES);
    for (let i: usize = 0; i < <usize>count; i++) {
      const at = load<u32>(DOCS + (i << 2));
      if (at === doc) return load<u32>(FREQUENCIES + (i << 2));
      if (at > doc) return 0;
    }
  }
  return 0;
}

/** First block that may hold a document, or the number of blocks: the last ones ascend among blocks of today. */
function firstChunkFor(record: usize, doc: u32): u32 {
  const blocks = blockCount(record);
  if (load<u32>(H_REMAP) !== 0) return 0;
  let low: u32 = 0;
  let high = blocks;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(blockAt(record, middle)) < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}
