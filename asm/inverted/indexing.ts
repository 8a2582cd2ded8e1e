// The document that is being added: from its tokens (see `tokens.ts`) to its postings.
//
// Tokens of a field are consecutive, so a token's number determines its field: B_DOC_FIELDS has each field and its
// first token (u32 each), the content first, and one entry behind the last.

import { putVarint, putVarintLoosely } from './bytes.ts';
import { hideDocument, newDocument, reviveDocument, showDocument } from './documents.ts';
import { FURTHER, H_COMMIT_DOC, H_COMMIT_FORM, H_COMMIT_HIDDEN, H_DOC_FIELDS, H_DOC_FORMS, H_TOKENS, MAX_FIELDS,
  PLAIN_FIELDS } from './layout.ts';
import { appendPosting, appendSingle, putFurther } from './postings.ts';
import { isTailCurrent } from './reading.ts';
import { recordOf } from './records.ts';
import { renewTail } from './renewal.ts';
import { B_BLOCK, B_BLOCK_FIELDS, B_DOC_FIELDS, B_DOC_FORMS, B_INPUT, B_OUTPUT, B_PLACES, B_POSITIONS, B_POSTINGS,
  B_TOKENS, buffer, shrink } from './scratch.ts';
import { beginPlaces, E_FORM, E_TOKENS, endOfPlaces, entryAt, forgetTokens, placeTokens, positionOf, room,
  tokenAt } from './tokens.ts';

const LARGE_BUFFER: u32 = 4 << 20;
/** Placing this many tokens takes as long as one token takes in a posting. */
const PLACED_AS_ONE: u32 = 4;
const NONE: u32 = 0xffffffff;

// An entry of B_DOC_FIELDS.
const PLACE: u32 = 8;
const P_FIELD: usize = 0;
const P_START: usize = 4;

export function beginDocument(): void {
  forgetTokens();
  store<u32>(H_DOC_FIELDS, 0);
  openField(0);
}

/** Begins a field: the following tokens belong to it. Fields come in ascending order. */
export function openField(field: u32): void {
  assert(field < MAX_FIELDS, 'a field out of range');
  const count = load<u32>(H_DOC_FIELDS);
  const place = room(B_DOC_FIELDS, (count + 2) * PLACE) + <usize>count * PLACE;
  if (count > 0 && load<u32>(place - PLACE, P_FIELD) === field) return;
  assert(count === 0 || load<u32>(place - PLACE, P_FIELD) < field, 'fields in another order');
  store<u32>(place, field, P_FIELD);
  store<u32>(place, load<u32>(H_TOKENS), P_START);
  store<u32>(H_DOC_FIELDS, count + 1);
}

/** Makes a new document of the tokens; it counts as deleted until it has all its postings. */
export function beginCommit(ordinal: u32, number: u32): void {
  const fields = load<u32>(H_DOC_FIELDS);
  const behind = room(B_DOC_FIELDS, (fields + 1) * PLACE) + <usize>fields * PLACE;
  store<u32>(behind, NONE, P_FIELD);
  store<u32>(behind, load<u32>(H_TOKENS), P_START);
  store<u32>(H_COMMIT_DOC, newDocument(ordinal, number));
  store<u32>(H_COMMIT_FORM, 0);
  store<u32>(H_COMMIT_HIDDEN, 0);
  beginPlaces();
}

/** Makes postings of about `budget` tokens. Returns whether there are more; searches may run in between. */
export function continueCommit(budget: u32): bool {
  if (placeTokens(budget * PLACED_AS_ONE)) return rest();
  const forms = load<u32>(H_DOC_FORMS);
  let form = load<u32>(H_COMMIT_FORM);
  let work: u32 = 0;
  for (; form < forms && work < budget; form++) {
    const entry = entryAt(form);
    work += 8 + load<u32>(entry, E_TOKENS);
    commitForm(entry);
  }
  store<u32>(H_COMMIT_FORM, form);
  return form < forms && rest();
}

/** Allows searches to run; they ignore the document's postings. */
function rest(): bool {
  if (load<u32>(H_COMMIT_HIDDEN) === 0) hideDocument();
  store<u32>(H_COMMIT_HIDDEN, 1);
  return true;
}

/** Replaces the former document of the ordinal with the new one, which has all its postings. */
export function finishCommit(): void {
  if (load<u32>(H_COMMIT_HIDDEN) !== 0) reviveDocument();
  const places = buffer(B_DOC_FIELDS);
  showDocument(load<u32>(H_COMMIT_DOC), load<u32>(H_TOKENS), places, load<u32>(H_DOC_FIELDS));
  forgetLarge();
}

function commitForm(entry: usize): void {
  const form = load<u32>(entry, E_FORM);
  const tokens = load<u32>(entry, E_TOKENS);
  const end = endOfPlaces(entry);
  const first = end - (<usize>tokens << 2);
  const inContent = tokenAt(end - 4) < load<u32>(buffer(B_DOC_FIELDS) + PLACE, P_START);
  const record = recordOf(form);
  if (!isTailCurrent(record)) renewTail(form);
  if (inContent && tokens === 1) return appendSingle(record, load<u32>(H_COMMIT_DOC), positionOf(tokenAt(first)));
  const from = room(B_POSTINGS, 64 + 8 * tokens);
  let at = putVarint(from, (tokens << 1) | <u32>!inContent);
  const fieldsAt = at;
  if (!inContent) at = putFields(first, end, at);
  const fields: u32 = inContent ? 1 : load<u8>(fieldsAt);
  at = inContent ? putContentPositions(first, end, at) : putPositions(first, end, at);
  appendPosting(record, load<u32>(H_COMMIT_DOC), from, at, fields);
}

/** Writes the field part of a posting (see `postings.ts`); returns the address behind it. */
function putFields(from: usize, end: usize, at: usize): usize {
  const bitsAt = at++;
  let bits: u32 = 0;
  let before: u32 = PLAIN_FIELDS - 1;
  for (let place = buffer(B_DOC_FIELDS); from < end; place += PLACE) {
    const behind = load<u32>(place + PLACE, P_START);
    if (tokenAt(from) >= behind) continue;
    const field = load<u32>(place, P_FIELD);
    let frequency: u32 = 0;
    for (; from < end && tokenAt(from) < behind; from += 4) frequency++;
    if (field < PLAIN_FIELDS) {
      bits |= 1 << field;
      if (field > 0) at = putVarint(at, frequency);
    } else {
      bits |= FURTHER;
      at = putFurther(at, field - before, frequency, from < end);
      before = field;
    }
  }
  store<u8>(bitsAt, <u8>bits);
  return at;
}

function putContentPositions(from: usize, end: usize, at: usize): usize {
  let before: u32 = 0;
  for (; from < end; from += 4) {
    const position = positionOf(tokenAt(from));
    at = putVarintLoosely(at, position - before);
    before = position;
  }
  return at;
}

function putPositions(from: usize, end: usize, at: usize): usize {
  let place = buffer(B_DOC_FIELDS);
  let before: u32 = 0;
  for (; from < end; from += 4) {
    const token = tokenAt(from);
    while (token >= load<u32>(place + PLACE, P_START)) {
      place += PLACE;
      before = 0;
    }
    const position = positionOf(token);
    at = putVarint(at, position - before);
    before = position;
  }
  return at;
}

/** Frees large buffers, so that one document of many megabytes does not keep them allocated. */
function forgetLarge(): void {
  shrink(B_TOKENS, LARGE_BUFFER);
  shrink(B_DOC_FORMS, LARGE_BUFFER);
  shrink(B_PLACES, LARGE_BUFFER);
  shrink(B_POSTINGS, LARGE_BUFFER);
  shrink(B_POSITIONS, LARGE_BUFFER);
  shrink(B_BLOCK, LARGE_BUFFER);
  shrink(B_BLOCK_FIELDS, LARGE_BUFFER);
  shrink(B_INPUT, LARGE_BUFFER);
  shrink(B_OUTPUT, LARGE_BUFFER);
}
