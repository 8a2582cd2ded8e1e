// Which of some documents have any of some forms: search results say which words of the query they have.
//
// B_INPUT has the forms and then the ordinals, u32 each. Of a block that may have one of the documents, only the
// documents are decoded.

import { firstChunkFrom, frequencyIn } from './counting.ts';
import { documentOf } from './documents.ts';
import { DOCS, FREQUENCIES, H_REMAP } from './layout.ts';
import { blockAt, blockCount } from './postings.ts';
import { chunkCount, readBlockDocuments, readChunk } from './reading.ts';
import { recordOf } from './records.ts';
import { B_INPUT, B_OUTPUT, B_RERANK_ORDER, buffer, reserve } from './scratch.ts';
import { sort } from './sorting.ts';

/** Writes a u32 for each ordinal to B_OUTPUT: 1 if its document has a form in any field, otherwise 0. */
export function haveForms(forms: u32, ordinals: u32): void {
  const order = reserve(B_RERANK_ORDER, max(ordinals, 2) * 8);
  const found = reserve(B_OUTPUT, max(ordinals * 4, 16));
  memory.fill(found, 0, <usize>ordinals << 2);
  let end = order;
  for (let i: u32 = 0; i < ordinals; i++) {
    const doc = documentOf(inputAt(forms + i));
    if (doc === 0) continue;
    store<u64>(end, (<u64>doc << 32) | i);
    end += 8;
  }
  sort(order, <u32>(end - order) >> 3);
  for (let i: u32 = 0; i < forms; i++) {
    if (load<u32>(H_REMAP) === 0) findForm(inputAt(i), order, end, found);
    else findOneByOne(inputAt(i), order, end, found);
  }
}

function inputAt(index: u32): u32 {
  return load<u32>(buffer(B_INPUT) + (<usize>index << 2));
}

/** Blocks that compaction has not renumbered are in no order. */
function findOneByOne(form: u32, order: usize, end: usize, found: usize): void {
  for (let at = order; at < end; at += 8) {
    const place = found + (<usize>load<u32>(at) << 2);
    if (load<u32>(place) === 0 && frequencyIn(form, load<u32>(at, 4)) > 0) store<u32>(place, 1);
  }
}

function findForm(form: u32, order: usize, end: usize, found: usize): void {
  const record = recordOf(form);
  const blocks = blockCount(record);
  const chunks = chunkCount(form);
  let chunk: u32 = 0;
  let read: u32 = u32.MAX_VALUE;
  let count: u32 = 0;
  for (let at = order; at < end; at += 8) {
    const place = found + (<usize>load<u32>(at) << 2);
    if (load<u32>(place) !== 0) continue;
    const doc = load<u32>(at, 4);
    chunk = firstChunkFrom(record, chunk, doc);
    if (chunk === chunks) return;
    if (chunk < blocks && load<u32>(blockAt(record, chunk), 4) > doc) continue;
    if (chunk !== read)
      count = chunk < blocks
        ? readBlockDocuments(blockAt(record, chunk), DOCS)
        : readChunk(form, chunk, DOCS, FREQUENCIES);
    read = chunk;
    if (isAmong(doc, count)) store<u32>(place, 1);
  }
}

/** Whether a document is one of the `count` at DOCS, which ascend (binary search). */
function isAmong(doc: u32, count: u32): bool {
  let low: u32 = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(DOCS + (<usize>middle << 2)) < doc) low = middle + 1;
    else high = middle;
  }
  return low < count && load<u32>(DOCS + (<usize>low << 2)) === doc;
}
