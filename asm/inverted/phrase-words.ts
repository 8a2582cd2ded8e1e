// Which documents have all words of an exact phrase, and how many documents have each. Frequencies are not read: those of the matches are known
// when their positions are.
//
// Each word has a slot. The byte of a document is 0x80 and the index in its chunk if the form of the word with the most postings has a posting
// there, so that its postings of candidates are found without a search; 1 if only other forms have one. While documents are renumbered,
// it is 1 for every form.

import { dropDerived } from './fields.ts';
import { chunkIn, keepForm, keepIndexed, keepPlaces, KEPT_FREQUENCIES } from './kept-chunks.ts';
import { DERIVED, DOCS, FREQUENCIES, H_REMAP, SINK } from './layout.ts';
import { blockAt, blockCount } from './postings.ts';
import { chunkCount, readChunk, readChunkDocuments } from './reading.ts';
import { R_DOCUMENTS, R_FIELDS, recordOf } from './records.ts';
import { areCounted, countSlot, hasAny, makeSlot, mostFirst, slotAt } from './slots.ts';

/** Set in the byte of a document that has the form with the most postings. */
const PLACED: u32 = 0x80;

/**
 * Marks the documents that have any of `count` forms, each once, in an empty slot, after moving the form with the most postings to the front.
 * Returns how many live documents have any. For a single form, blocks without a document of the slot `within` - 1 may be left out, unless
 * `within` is 0.
 */
export function markWord(forms: usize, count: u32, slot: u32, within: u32): u32 {
  const bytes = makeSlot(slot);
  mostFirst(forms, count);
  const counted = areCounted(forms, count);
  const first = load<u32>(forms);
  if (areIndexed()) indexForm(first, bytes, count === 1 && counted && within > 0 ? slotAt(within - 1) : 0);
  else markForm(first, bytes);
  let documents = load<u32>(recordOf(first), R_DOCUMENTS);
  for (let at = forms + 4; at < forms + (<usize>count << 2); at += 4) documents += markForm(load<u32>(at), bytes);
  store<u8>(bytes + <usize>SINK, 0);
  return counted ? documents : countSlot(bytes);
}

/** Whether slots have the indexes of postings. */
export function areIndexed(): bool {
  return load<u32>(H_REMAP) === 0;
}

/** Marks the documents of the first form in an empty slot, except in blocks without any of the documents of `others`, unless that is 0. */
function indexForm(form: u32, bytes: usize, others: usize): void {
  const record = recordOf(form);
  const blocks = blockCount(record);
  const chunks = chunkCount(form);
  const kept = keepIndexed(form, chunks);
  for (let chunk: u32 = 0; chunk < chunks; chunk++) {
    if (others !== 0 && chunk < blocks && !hasAny(others, blockAt(record, chunk))) continue;
    indexChunk(DOCS, readOwn(form, chunk, DOCS, kept === 0 ? FREQUENCIES : chunkIn(kept, chunk) + KEPT_FREQUENCIES), bytes);
  }
  if (kept !== 0) keepPlaces(kept, chunks);
}

function indexChunk(docs: usize, count: u32, bytes: usize): void {
  let at = docs;
  let i = PLACED;
  for (const end = PLACED + count; i + 4 <= end; i += 4) {
    store<u8>(bytes + <usize>load<u32>(at), <u8>i);
    store<u8>(bytes + <usize>load<u32>(at, 4), <u8>(i + 1));
    store<u8>(bytes + <usize>load<u32>(at, 8), <u8>(i + 2));
    store<u8>(bytes + <usize>load<u32>(at, 12), <u8>(i + 3));
    at += 16;
  }
  for (const end = PLACED + count; i < end; i++) {
    store<u8>(bytes + <usize>load<u32>(at), <u8>i);
    at += 4;
  }
}

/** Marks the documents of another form; returns how many were not marked before. */
function markForm(form: u32, bytes: usize): u32 {
  const chunks = chunkCount(form);
  const kept = keepForm(form, chunks);
  let gained: u32 = 0;
  for (let chunk: u32 = 0; chunk < chunks; chunk++) {
    const docs = kept === 0 ? DOCS : chunkIn(kept, chunk);
    gained += markChunk(docs, readOwn(form, chunk, docs, kept === 0 ? FREQUENCIES : docs + KEPT_FREQUENCIES), bytes);
  }
  if (kept !== 0) keepPlaces(kept, chunks);
  return gained;
}

/** Reads the documents of a chunk; those that have the form in derived fields alone become the sink. */
function readOwn(form: u32, chunk: u32, docs: usize, frequencies: usize): u32 {
  if ((load<u8>(recordOf(form), R_FIELDS) & DERIVED) === 0) return readChunkDocuments(form, chunk, docs, frequencies);
  const count = readChunk(form, chunk, docs, frequencies);
  if (frequencies !== FREQUENCIES) memory.copy(FREQUENCIES, frequencies, <usize>count << 2);
  dropDerived(form, chunk, count, FREQUENCIES);
  for (let i: usize = 0; i < <usize>count << 2; i += 4) if (load<u32>(FREQUENCIES + i) === 0) store<u32>(docs + i, SINK);
  return count;
}

function markChunk(docs: usize, count: u32, bytes: usize): u32 {
  const end = docs + (<usize>count << 2);
  let gained: u32 = 0;
  let at = docs;
  for (; at + 16 <= end; at += 16) {
    gained += mark(bytes + <usize>load<u32>(at));
    gained += mark(bytes + <usize>load<u32>(at, 4));
    gained += mark(bytes + <usize>load<u32>(at, 8));
    gained += mark(bytes + <usize>load<u32>(at, 12));
  }
  for (; at < end; at += 4) gained += mark(bytes + <usize>load<u32>(at));
  return gained;
}

/** Returns 1 if the document was not marked. */
function mark(place: usize): u32 {
  const before = <u32>load<u8>(place);
  const gained = <u32>(before === 0);
  store<u8>(place, <u8>(before | gained));
  return gained;
}
