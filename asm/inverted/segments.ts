// A segment: a few documents with their postings, made in one memory to be merged into another, so that a thread can
// tokenise documents for an index that belongs to another thread.
//
//     0 documents   4 forms   8 bytes of the documents' part
// documents: u32 class, u32 tokens, u32 fields, and for each field and behind the last: u32 field, u32 its first token
// forms: u8 postings, u8 bits of the fields, u8 last document, varint length of the form, varint bytes of the postings,
// the form, the postings
//
// Documents are numbered from 1 within the segment. Postings are those of a tail (see `postings.ts`), so that most are
// copied as they are; a segment has fewer documents than a block, and is not made if a tail would be sealed for its
// bytes. Forms are in the order in which they first occur, so that new ones get the same numbers as if the documents
// were added one by one.

import { copyBytes, getVarint, hashBytes, putVarint, skipVarints, varintLength, varintSize,
  varintValue } from './bytes.ts';
import { newDocument, showDocument } from './documents.ts';
import { internForm } from './forms.ts';
import { BLOCK, FIRST_HEAP_PAGE, H_DOC_FIELDS, H_DOCS, H_NOTED, H_TOKENS, HEADER, HEADER_END, PAGE,
  PAGE_KINDS } from './layout.ts';
import { appendPosting, appendSingle, blockCount, extendTail, gapTo, MAX_TAIL, parsePosting, postingFields,
  postingFrequency, setTailCount, tailCount } from './postings.ts';
import { isTailCurrent } from './reading.ts';
import { formBytes, formCount, formLength, R_DOCUMENTS, R_FIELDS, R_LAST, R_TAIL, R_TAIL_BYTES,
  recordOf } from './records.ts';
import { renewTail } from './renewal.ts';
import { B_DOC_FIELDS, B_NOTED, B_OUTPUT, B_SEGMENT, B_SEGMENT_FORMS, buffer, reserve } from './scratch.ts';

/** Documents of a segment at most: their postings of a form never fill a block. */
export const MAX_SEGMENT_DOCUMENTS: u32 = BLOCK - 1;

// The head of a segment.
const S_DOCUMENTS: usize = 0;
const S_FORMS: usize = 4;
const S_BYTES: usize = 8;
const HEAD: usize = 12;

// A document of a segment.
const D_CLASS: usize = 0;
const D_TOKENS: usize = 4;
const D_FIELDS: usize = 8;
const D_PLACES: usize = 12;
const PLACE: u32 = 8;

// The head of a form.
const F_POSTINGS: usize = 0;
const F_FIELDS: usize = 1;
const F_LAST: usize = 2;
const F_HEAD: u32 = 3;

// ---- Making a segment ----------------------------------------------------------------------

/** Clears a memory that only makes segments; `initialize` and `placeTables` must follow. Its pages stay allocated. */
export function clear(): void {
  memory.fill(HEADER, 0, HEADER_END - HEADER);
  memory.fill(PAGE_KINDS + FIRST_HEAP_PAGE, 0, PAGE - FIRST_HEAP_PAGE);
}

/** Notes the class and the fields of the document that was just added, for the segment. */
export function noteDocument(number: u32): void {
  const fields = load<u32>(H_DOC_FIELDS);
  const used = load<u32>(H_NOTED);
  const bytes = <u32>D_PLACES + (fields + 1) * PLACE;
  const at = reserve(B_NOTED, used + bytes) + used;
  store<u32>(at, number, D_CLASS);
  store<u32>(at, load<u32>(H_TOKENS), D_TOKENS);
  store<u32>(at, fields, D_FIELDS);
  memory.copy(at + D_PLACES, buffer(B_DOC_FIELDS), (fields + 1) * PLACE);
  store<u32>(H_NOTED, used + bytes);
}

/**
 * Writes the segment of all noted documents to B_OUTPUT; returns its bytes, or 0 if the postings of a form are too long
 * for one.
 */
export function writeSegment(): u32 {
  const documents = load<u32>(H_DOCS) - 1;
  assert(documents > 0 && documents <= MAX_SEGMENT_DOCUMENTS, 'a segment of too many documents');
  const noted = load<u32>(H_NOTED);
  const forms = formCount();
  let bytes = <u32>HEAD + noted;
  for (let form: u32 = 1; form < forms; form++) {
    const record = recordOf(form);
    if (blockCount(record) > 0) return 0;
    bytes += F_HEAD + 10 + formLength(form) + <u32>load<u16>(record, R_TAIL_BYTES);
  }
  const segment = reserve(B_OUTPUT, bytes);
  store<u32>(segment, documents, S_DOCUMENTS);
  store<u32>(segment, forms - 1, S_FORMS);
  store<u32>(segment, noted, S_BYTES);
  memory.copy(segment + HEAD, buffer(B_NOTED), noted);
  let at = segment + HEAD + noted;
  for (let form: u32 = 1; form < forms; form++) at = writeForm(form, at);
  return <u32>(at - segment);
}

function writeForm(form: u32, at: usize): usize {
  const record = recordOf(form);
  const length = formLength(form);
  const bytes = <u32>load<u16>(record, R_TAIL_BYTES);
  store<u8>(at, <u8>tailCount(record), F_POSTINGS);
  store<u8>(at, load<u8>(record, R_FIELDS), F_FIELDS);
  store<u8>(at, <u8>load<u32>(record, R_LAST), F_LAST);
  at = putVarint(putVarint(at + F_HEAD, length), bytes);
  memory.copy(at, formBytes(form), length);
  memory.copy(at + length, load<u32>(record, R_TAIL), bytes);
  return at + length + bytes;
}

// ---- Merging a segment ---------------------------------------------------------------------

/**
 * Finds the forms of the segment that is in B_SEGMENT, and adds those that the index does not have. Returns the number
 * of its documents. The host then puts the new forms in order.
 */
export function openSegment(): u32 {
  const segment = buffer(B_SEGMENT);
  const count = load<u32>(segment, S_FORMS);
  const forms = reserve(B_SEGMENT_FORMS, (count + 1) * 4);
  let at = segment + HEAD + load<u32>(segment, S_BYTES);
  for (let i: u32 = 0; i < count; i++) {
    const length = getVarint(at + F_HEAD);
    const bytes = getVarint(at + F_HEAD + varintLength(length));
    const text = at + F_HEAD + varintLength(length) + varintLength(bytes);
    store<u32>(forms + (<usize>i << 2), internForm(text, varintValue(length), hashBytes(text, varintValue(length))));
    at = text + varintValue(length) + varintValue(bytes);
  }
  return load<u32>(segment, S_DOCUMENTS);
}

/** Adds the documents of the open segment, or replaces those with their ordinals, which are u32 each at an address. */
export function mergeSegment(ordinals: usize): void {
  const segment = buffer(B_SEGMENT);
  const first = load<u32>(H_DOCS);
  const documents = load<u32>(segment, S_DOCUMENTS);
  let document = segment + HEAD;
  for (let i: u32 = 0; i < documents; i++) {
    newDocument(load<u32>(ordinals + (<usize>i << 2)), load<u32>(document, D_CLASS));
    document = behindDocument(document);
  }
  mergeForms(segment, document, first - 1);
  document = segment + HEAD;
  for (let i: u32 = 0; i < documents; i++) {
    showDocument(first + i, load<u32>(document, D_TOKENS), document + D_PLACES, load<u32>(document, D_FIELDS));
    document = behindDocument(document);
  }
}

function behindDocument(document: usize): usize {
  return document + D_PLACES + <usize>((load<u32>(document, D_FIELDS) + 1) * PLACE);
}

/** Document n of the segment becomes document `before` + n. */
function mergeForms(segment: usize, at: usize, before: u32): void {
  const forms = buffer(B_SEGMENT_FORMS);
  const count = load<u32>(segment, S_FORMS);
  for (let i: u32 = 0; i < count; i++) {
    const length = getVarint(at + F_HEAD);
    const bytes = getVarint(at + F_HEAD + varintLength(length));
    const postings = at + F_HEAD + varintLength(length) + varintLength(bytes) + varintValue(length);
    const form = load<u32>(forms + (<usize>i << 2));
    const record = recordOf(form);
    if (!isTailCurrent(record)) renewTail(form);
    const room = <u32>load<u16>(record, R_TAIL_BYTES) + varintValue(bytes) + 5;
    if (tailCount(record) + <u32>load<u8>(at, F_POSTINGS) < BLOCK && room <= MAX_TAIL)
      appendRun(record, at, postings, varintValue(bytes), before);
    else appendEach(record, load<u8>(at, F_POSTINGS), postings, before);
    at = postings + varintValue(bytes);
  }
}

/**
 * Appends all postings of a form to its tail, which has space for them: only the number of the first document changes.
 */
function appendRun(record: usize, head: usize, postings: usize, bytes: u32, before: u32): void {
  const count = <u32>load<u8>(head, F_POSTINGS);
  const gap = getVarint(postings);
  const next = (gapTo(record, before + (varintValue(gap) >> 1)) << 1) | (varintValue(gap) & 1);
  const rest = bytes - varintLength(gap);
  store<u8>(record, load<u8>(record, R_FIELDS) | load<u8>(head, F_FIELDS), R_FIELDS);
  store<u32>(record, load<u32>(record, R_DOCUMENTS) + count, R_DOCUMENTS);
  const to = putVarint(extendTail(record, varintSize(next) + rest), next);
  copyBytes(to, postings + varintLength(gap), rest);
  store<u32>(record, before + <u32>load<u8>(head, F_LAST), R_LAST);
  setTailCount(record, tailCount(record) + count);
}

/** Appends the postings of a form one by one, because its tail becomes full. */
function appendEach(record: usize, count: u32, at: usize, before: u32): void {
  let doc = before;
  for (let i: u32 = 0; i < count; i++) {
    const gap = getVarint(at);
    const behind = at + varintLength(gap);
    doc += varintValue(gap) >> 1;
    const positions = parsePosting(at);
    const end = skipVarints(positions, postingFrequency());
    if ((varintValue(gap) & 1) !== 0) appendSingle(record, doc, varintValue(getVarint(behind)));
    else appendPosting(record, doc, behind, end, postingFields());
    at = end;
  }
}
