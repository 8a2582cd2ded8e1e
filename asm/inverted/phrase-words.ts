// Which documents have all words of an exact phrase, and how many documents have each word.
//
// The words are read from the rarest to the most frequent one. While the last one is read, the postings in which
// candidates have it are chosen at once, so that most postings are looked at once. Those of the other words are kept,
// and chosen when all candidates are known.
//
// B_MARKS has a byte by document, whose bits are those below, and that of a candidate (see `phrase-candidates.ts`).

import { dropDerived } from './fields.ts';
import { gradeDocuments } from './grades.ts';
import { chunkIn, keepForm, keepPlaces, KEPT_FREQUENCIES } from './kept-chunks.ts';
import { DERIVED, DOCS, FREQUENCIES, H_DOCS, SINK, TAIL_PLACES } from './layout.ts';
import { placeForPostings } from './noted-postings.ts';
import { noteRoughly } from './occurrences.ts';
import { addCandidates } from './phrase-candidates.ts';
import { blockAt, blockCount } from './postings.ts';
import { chunkCount, readChunk, touchPositions } from './reading.ts';
import { R_DOCUMENTS, R_FIELDS, recordOf } from './records.ts';
import { B_MARKS, buffer } from './scratch.ts';
import { areCounted, exchange, mostFrequent } from './word-forms.ts';

/**
 * The document has all words that were read before the current one, or the first word. Added to an address to choose a
 * posting.
 */
const HAS_ALL: u32 = 4;
/** The document has the current word, which is not the first. */
const HAS_WORD: u32 = 8;

/**
 * Marks the documents of `count` forms of a word, each once, which is not the last in order. Returns how many live
 * documents have any.
 */
export function markWord(forms: usize, count: u32, isFirst: bool): u32 {
  const counted = areCounted(forms, count);
  const bit = isFirst ? HAS_ALL : HAS_WORD;
  exchange(forms, mostFrequent(forms, count));
  let documents = markForm(load<u32>(forms), bit, isFirst);
  for (let i: u32 = 1; i < count; i++) documents += markForm(load<u32>(forms + (<usize>i << 2)), bit, false);
  unmarkSink();
  if (!counted) documents = countMarked(bit);
  if (!isFirst) keepCommon();
  return documents;
}

/**
 * Makes candidates of the documents that have all words, of which the last in order has `count` forms, each once. Notes
 * its postings there, and their remainders. Returns how many live documents have any of the forms.
 */
export function findLastWord(forms: usize, count: u32, word: u32): u32 {
  const counted = areCounted(forms, count);
  const last = forms + (<usize>(count - 1) << 2);
  exchange(last, mostFrequent(forms, count));
  let documents: u32 = 0;
  for (let at = forms; at <= last; at += 4) {
    const form = load<u32>(at);
    // Nothing is behind the last form that would need its marks, but the count of what is alive.
    documents += load<u32>(recordOf(form), R_DOCUMENTS) -
      chooseForm(form, word, at < last || !counted, count === 1 && counted);
  }
  unmarkSink();
  return counted ? documents : countMarked(HAS_WORD);
}

/** Forgets all marks. */
export function forgetMarks(): void {
  memory.fill(buffer(B_MARKS), 0, load<u32>(H_DOCS));
}

/** Dropped documents appear as the sink, which must not become a candidate: it has the postings of all of them. */
function unmarkSink(): void {
  store<u8>(buffer(B_MARKS) + <usize>SINK, 0);
}

/** Number of live documents with a bit. */
function countMarked(bit: u32): u32 {
  const marks = buffer(B_MARKS);
  const grades = gradeDocuments();
  const end = <usize>load<u32>(H_DOCS);
  const none = i64x2.splat(0);
  const bits = i8x16.splat(<i8>bit);
  let count: u32 = 0;
  for (let doc: usize = 0; doc < end; doc += 16) {
    const marked = i8x16.ne(v128.and(v128.load(marks + doc), bits), none);
    // The high bit of a grade says that the document is dead.
    count += <u32>popcnt(i8x16.bitmask(v128.andnot(marked, v128.load(grades + doc))));
  }
  return count;
}

/** After a word is read, only documents that had all words before keep a mark. */
function keepCommon(): void {
  const marks = buffer(B_MARKS);
  const end = marks + <usize>load<u32>(H_DOCS);
  const all = i8x16.splat(<i8>HAS_ALL);
  for (let at = marks; at < end; at += 16) {
    const some = v128.load(at);
    v128.store(at, v128.and(v128.and(some, i8x16.shr_u(some, 1)), all));
  }
}

/** Gives the documents of a form a bit; returns how many did not have it. The first form of all finds no mark. */
function markForm(form: u32, bit: u32, isFirst: bool): u32 {
  const chunks = chunkCount(form);
  const kept = keepForm(form, chunks);
  let gained: u32 = 0;
  for (let chunk: u32 = 0; chunk < chunks; chunk++) {
    const docs = kept === 0 ? DOCS : chunkIn(kept, chunk);
    const count = readOwn(form, chunk, docs, kept === 0 ? FREQUENCIES : docs + KEPT_FREQUENCIES);
    if (isFirst) markFirst(docs, count);
    else gained += mark(docs, count, bit);
  }
  if (kept !== 0) keepPlaces(kept, chunks);
  return isFirst ? load<u32>(recordOf(form), R_DOCUMENTS) : gained;
}

/** Reads a chunk as `readChunk` does; documents that have the form in derived fields alone become the sink. */
function readOwn(form: u32, chunk: u32, docs: usize, frequencies: usize): u32 {
  const count = readChunk(form, chunk, docs, frequencies);
  if ((load<u8>(recordOf(form), R_FIELDS) & DERIVED) === 0) return count;
  if (frequencies !== FREQUENCIES) memory.copy(FREQUENCIES, frequencies, <usize>count << 2);
  dropDerived(form, chunk, count, FREQUENCIES);
  for (let i: usize = 0; i < <usize>count << 2; i += 4)
    if (load<u32>(FREQUENCIES + i) === 0) store<u32>(docs + i, SINK);
  return count;
}

function markFirst(docs: usize, count: u32): void {
  const marks = buffer(B_MARKS);
  const end = docs + (<usize>count << 2);
  let at = docs;
  for (; at + 16 <= end; at += 16) {
    store<u8>(marks + <usize>load<u32>(at), <u8>HAS_ALL);
    store<u8>(marks + <usize>load<u32>(at, 4), <u8>HAS_ALL);
    store<u8>(marks + <usize>load<u32>(at, 8), <u8>HAS_ALL);
    store<u8>(marks + <usize>load<u32>(at, 12), <u8>HAS_ALL);
  }
  for (; at < end; at += 4) store<u8>(marks + <usize>load<u32>(at), <u8>HAS_ALL);
}

function mark(docs: usize, count: u32, bit: u32): u32 {
  const marks = buffer(B_MARKS);
  let fresh = count;
  for (let at = docs, end = docs + (<usize>count << 2); at < end; at += 4) {
    const place = marks + <usize>load<u32>(at);
    const before = <u32>load<u8>(place);
    fresh -= <u32>((before & bit) !== 0);
    store<u8>(place, <u8>(before | bit));
  }
  return fresh;
}

/**
 * Chooses the postings of a form of the last word in documents that have all others, and marks its documents if
 * `marking` is set. If `skipping` is set, blocks without marks may be left out. Returns how many documents had the bit
 * already.
 */
function chooseForm(form: u32, word: u32, marking: bool, skipping: bool): u32 {
  const record = recordOf(form);
  const blocks = blockCount(record);
  const chunks = chunkCount(form);
  const kept = keepForm(form, chunks);
  let touched: u32 = 0;
  let common: u32 = 0;
  for (let chunk: u32 = 0; chunk < chunks; chunk++) {
    if (skipping && chunk < blocks && !hasMark(blockAt(record, chunk))) continue;
    const frequencies = kept === 0 ? FREQUENCIES : chunkIn(kept, chunk) + KEPT_FREQUENCIES;
    const count = readOwn(form, chunk, DOCS, frequencies);
    const postings = placeForPostings();
    const found = marking ? chooseMarking(count, postings) : chooseMarked(count, postings);
    const chosen = found & CHOSEN_MASK;
    common += found >> COMMON_SHIFT;
    if (chunk === blocks && kept !== 0) keepPlaces(kept, chunks);
    if (chosen === 0) continue;
    if (chunk < blocks && chunk >= touched) touched = touchPositions(record, chunk);
    addCandidates(DOCS, postings, postings + (<usize>chosen << 2));
    noteRoughly(form, chunk, frequencies, count, TAIL_PLACES, postings, chosen, word);
  }
  return common;
}

/** Whether a document between the first and the last one of a block has a mark. */
function hasMark(block: usize): bool {
  const marks = buffer(B_MARKS);
  const end = marks + <usize>load<u32>(block);
  for (let at = marks + <usize>load<u32>(block, 4); at <= end; at += 16) if (v128.any_true(v128.load(at))) return true;
  return false;
}

// What is found in a chunk: the number of chosen postings, and behind it that of those whose document has the current
// word already.
const CHOSEN_MASK: u32 = 0xff;
const COMMON_SHIFT: u32 = 8;

/**
 * Writes the indexes of the postings at DOCS in documents that have all words to `chosen`. Without branches, which
 * could not be predicted.
 */
function chooseMarked(count: u32, chosen: usize): u32 {
  const marks = buffer(B_MARKS);
  let to = chosen;
  let common: u32 = 0;
  let i: u32 = 0;
  for (; i + 4 <= count; i += 4) {
    const at = DOCS + (<usize>i << 2);
    const a = <u32>load<u8>(marks + <usize>load<u32>(at));
    const b = <u32>load<u8>(marks + <usize>load<u32>(at, 4));
    const c = <u32>load<u8>(marks + <usize>load<u32>(at, 8));
    const d = <u32>load<u8>(marks + <usize>load<u32>(at, 12));
    to = chooseIf(a, i, to);
    to = chooseIf(b, i + 1, to);
    to = chooseIf(c, i + 2, to);
    to = chooseIf(d, i + 3, to);
    common += (a & HAS_WORD) + (b & HAS_WORD) + (c & HAS_WORD) + (d & HAS_WORD);
  }
  for (; i < count; i++) {
    const mark = <u32>load<u8>(marks + <usize>load<u32>(DOCS + (<usize>i << 2)));
    to = chooseIf(mark, i, to);
    common += mark & HAS_WORD;
  }
  return (common / HAS_WORD << COMMON_SHIFT) | (<u32>(to - chosen) >> 2);
}

function chooseIf(mark: u32, index: u32, to: usize): usize {
  store<u32>(to, index);
  return to + <usize>(mark & HAS_ALL);
}

/** The same, and marks these documents. */
function chooseMarking(count: u32, chosen: usize): u32 {
  const marks = buffer(B_MARKS);
  let to = chosen;
  let common: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const place = marks + <usize>load<u32>(DOCS + (<usize>i << 2));
    const mark = <u32>load<u8>(place);
    to = chooseIf(mark, i, to);
    common += mark & HAS_WORD;
    store<u8>(place, <u8>(mark | HAS_WORD));
  }
  return (common / HAS_WORD << COMMON_SHIFT) | (<u32>(to - chosen) >> 2);
}
