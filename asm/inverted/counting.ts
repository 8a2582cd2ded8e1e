// How many live documents have a form, and how often a document has it.

import { addTo, isDead } from './documents.ts';
import { entryField, entryIndex, readFields } from './fields.ts';
import { CONTENT_FREQUENCIES, DOCS, FREQUENCIES, FURTHER, H_DEAD_DOCS, H_DEATHS, H_REMAP, MAX_FIELDS,
  PLAIN_FIELDS } from './layout.ts';
import { blockAt, blockBits, blockCount, D_DEAD, D_DEATHS } from './postings.ts';
import { blockFields, chunkCount, readChunk } from './reading.ts';
import { R_DIRECTORY, R_DOCUMENTS, R_FIELDS, recordOf } from './records.ts';
import { B_FIELD_COUNTS, reserve } from './scratch.ts';

/** Live documents that have a form. Dead postings are counted again if documents died since the last count. */
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

export function liveDocumentsInField(form: u32, field: u32): u32 {
  const record = recordOf(form);
  const bit: u32 = field < PLAIN_FIELDS ? 1 << field : FURTHER;
  const fields = <u32>load<u8>(record, R_FIELDS);
  if ((fields & bit) === 0) return 0;
  if (fields === bit && bit !== FURTHER) return liveDocuments(form);
  let documents: u32 = 0;
  const blocks = blockCount(record);
  const chunks = chunkCount(form);
  for (let chunk: u32 = 0; chunk < chunks; chunk++) {
    if (chunk < blocks && (blockFields(blockAt(record, chunk)) & blockBits(bit)) === 0) continue;
    const count = readChunk(form, chunk, DOCS, FREQUENCIES);
    documents += inField(field, count, readFields(form, chunk, count, FREQUENCIES));
  }
  return documents;
}

function inField(field: u32, count: u32, entries: u32): u32 {
  let documents: u32 = 0;
  if (field === 0) {
    for (let i: usize = 0; i < <usize>count << 2; i += 4) {
      documents += <u32>(load<u32>(CONTENT_FREQUENCIES + i) > 0 && !isDead(load<u32>(DOCS + i)));
    }
    return documents;
  }
  for (let entry: u32 = 0; entry < entries; entry++) {
    documents += <u32>(entryField(entry) === field && !isDead(load<u32>(DOCS + (<usize>entryIndex(entry) << 2))));
  }
  return documents;
}

/** The field in which most live documents have a form; if several have equally many, the first. */
export function mainField(form: u32): u32 {
  if (load<u8>(recordOf(form), R_FIELDS) === 1) return 0;
  const counts = reserve(B_FIELD_COUNTS, MAX_FIELDS * 4);
  memory.fill(counts, 0, MAX_FIELDS * 4);
  const chunks = chunkCount(form);
  for (let chunk: u32 = 0; chunk < chunks; chunk++) {
    const count = readChunk(form, chunk, DOCS, FREQUENCIES);
    const entries = readFields(form, chunk, count, FREQUENCIES);
    store<u32>(counts, load<u32>(counts) + inField(0, count, entries));
    for (let entry: u32 = 0; entry < entries; entry++) {
      if (!isDead(load<u32>(DOCS + (<usize>entryIndex(entry) << 2))))
        addTo(counts + (<usize>entryField(entry) << 2), 1);
    }
  }
  let best: u32 = 0;
  for (let field: u32 = 1; field < MAX_FIELDS; field++) {
    if (load<u32>(counts + (<usize>field << 2)) > load<u32>(counts + (<usize>best << 2))) best = field;
  }
  return best;
}

/** Occurrences of a form in a document; 0 for none. */
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

/**
 * First block that may hold a document, or the number of blocks: the last blocks are of the current epoch and ascend.
 */
export function firstChunkFor(record: usize, doc: u32): u32 {
  return load<u32>(H_REMAP) !== 0 ? 0 : firstChunkFrom(record, 0, doc);
}

/**
 * The same from a block on; all blocks are of the current epoch, earlier ones end before the document. Steps double,
 * then are halved.
 */
export function firstChunkFrom(record: usize, from: u32, doc: u32): u32 {
  const blocks = blockCount(record);
  let step: u32 = 1;
  let low = from;
  let high = from;
  while (high < blocks && load<u32>(blockAt(record, high)) < doc) {
    low = high + 1;
    high += step;
    step <<= 1;
  }
  high = min(high, blocks);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(blockAt(record, middle)) < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}
