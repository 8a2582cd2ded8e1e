// The document that is being added: its tokens, chained by form, and from them its postings.
//
// Tokens of a field follow each other, so a token's number tells its field: B_DOC_FIELDS has the field and its first
// token (u32 each), the content first, and one entry behind the last.

import { putVarint } from './bytes.ts';
import { hideDocument, newDocument, reviveDocument, showDocument } from './documents.ts';
import {
  FURTHER, H_COMMIT_DOC, H_COMMIT_FORM, H_COMMIT_HIDDEN, H_DOC_FIELDS, H_DOC_FORMS, H_FORMS, H_TOKENS, MAX_FIELDS, PLAIN_FIELDS,
} from './layout.ts';
import { appendPosting, putFurther } from './postings.ts';
import { renewTail } from './renewal.ts';
import {
  B_BLOCK, B_BLOCK_FIELDS, B_DOC_FIELDS, B_DOC_FORMS, B_FORM_ENTRIES, B_INPUT, B_OUTPUT, B_POSITIONS, B_POSTINGS, B_TOKEN_LINKS,
  B_TOKENS, buffer, reserve, roomOf, shrink,
} from './scratch.ts';

const NONE: u32 = 0xffffffff;
const LARGE_BUFFER: u32 = 4 << 20;

// An entry of B_DOC_FORMS.
const ENTRY: u32 = 16;
const E_FORM: usize = 0;
const E_TOKENS: usize = 4;
const E_FIRST: usize = 8;
const E_LAST: usize = 12;

// An entry of B_DOC_FIELDS.
const PLACE: u32 = 8;
const P_FIELD: usize = 0;
const P_START: usize = 4;

export function beginDocument(): void {
  store<u32>(H_TOKENS, 0);
  store<u32>(H_DOC_FORMS, 0);
  store<u32>(H_DOC_FIELDS, 0);
  openField(0);
}

/** The tokens that follow are of a field. Fields come in ascending order. */
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

/** Adds a token to the field at hand, in which positions never descend. */
export function addToken(form: u32, position: u32): void {
  const token = load<u32>(H_TOKENS);
  const tokens = room(B_TOKENS, (token + 1) * 4);
  const links = room(B_TOKEN_LINKS, (token + 1) * 4);
  store<u32>(tokens + (<usize>token << 2), position);
  store<u32>(links + (<usize>token << 2), NONE);
  store<u32>(H_TOKENS, token + 1);
  const entry = entryOf(form);
  const earlier = load<u32>(entry, E_LAST);
  if (earlier === NONE) store<u32>(entry, token, E_FIRST);
  else store<u32>(links + (<usize>earlier << 2), token);
  store<u32>(entry, token, E_LAST);
  store<u32>(entry, load<u32>(entry, E_TOKENS) + 1, E_TOKENS);
}

/** Makes a new document of the tokens, which is as good as deleted until it has all its postings. */
export function beginCommit(ordinal: u32): void {
  const fields = load<u32>(H_DOC_FIELDS);
  const behind = room(B_DOC_FIELDS, (fields + 1) * PLACE) + <usize>fields * PLACE;
  store<u32>(behind, NONE, P_FIELD);
  store<u32>(behind, load<u32>(H_TOKENS), P_START);
  store<u32>(H_COMMIT_DOC, newDocument(ordinal));
  store<u32>(H_COMMIT_FORM, 0);
  store<u32>(H_COMMIT_HIDDEN, 0);
}

/** Makes postings of about `budget` tokens. Gives whether there are more; searches may come between. */
export function continueCommit(budget: u32): bool {
  const forms = load<u32>(H_DOC_FORMS);
  let form = load<u32>(H_COMMIT_FORM);
  let work: u32 = 0;
  for (; form < forms && work < budget; form++) {
    const entry = buffer(B_DOC_FORMS) + <usize>form * ENTRY;
    work += 8 + load<u32>(entry, E_TOKENS);
    commitForm(entry);
  }
  store<u32>(H_COMMIT_FORM, form);
  if (form === forms) return false;
  if (load<u32>(H_COMMIT_HIDDEN) === 0) hideDocument();
  store<u32>(H_COMMIT_HIDDEN, 1);
  return true;
}

/** Puts the document, which has all its postings, in the place of the one that its ordinal had. */
export function finishCommit(): void {
  if (load<u32>(H_COMMIT_HIDDEN) !== 0) reviveDocument();
  const places = buffer(B_DOC_FIELDS);
  showDocument(load<u32>(H_COMMIT_DOC), load<u32>(H_TOKENS), places, load<u32>(H_DOC_FIELDS));
  forgetLarge();
}

function commitForm(entry: usize): void {
  const form = load<u32>(entry, E_FORM);
  const from = room(B_POSTINGS, 64 + 8 * load<u32>(entry, E_TOKENS));
  const inContent = load<u32>(entry, E_LAST) < load<u32>(buffer(B_DOC_FIELDS) + PLACE, P_START);
  const single = inContent && load<u32>(entry, E_TOKENS) === 1;
  let at = from;
  if (!single) at = putVarint(at, (load<u32>(entry, E_TOKENS) << 1) | <u32>!inContent);
  const fieldsAt = at;
  if (!inContent) at = putFields(entry, at);
  const fields: u32 = inContent ? 1 : load<u8>(fieldsAt);
  at = putPositions(entry, at);
  renewTail(form);
  appendPosting(form, load<u32>(H_COMMIT_DOC), from, at, fields, single);
}

/** Writes the field part of a posting (see `postings.ts`); gives the address behind it. */
function putFields(entry: usize, at: usize): usize {
  const bitsAt = at++;
  let bits: u32 = 0;
  let before: u32 = PLAIN_FIELDS - 1;
  let token = load<u32>(entry, E_FIRST);
  for (let place = buffer(B_DOC_FIELDS); token !== NONE; place += PLACE) {
    const end = load<u32>(place + PLACE, P_START);
    if (token >= end) continue;
    const field = load<u32>(place, P_FIELD);
    let frequency: u32 = 0;
    for (; token < end; token = nextToken(token)) frequency++;
    if (field < PLAIN_FIELDS) {
      bits |= 1 << field;
      if (field > 0) at = putVarint(at, frequency);
    } else {
      bits |= FURTHER;
      at = putFurther(at, field - before, frequency, token !== NONE);
      before = field;
    }
  }
  store<u8>(bitsAt, <u8>bits);
  return at;
}

function putPositions(entry: usize, at: usize): usize {
  let place = buffer(B_DOC_FIELDS);
  let before: u32 = 0;
  for (let token = load<u32>(entry, E_FIRST); token !== NONE; token = nextToken(token)) {
    while (token >= load<u32>(place + PLACE, P_START)) {
      place += PLACE;
      before = 0;
    }
    const position = load<u32>(buffer(B_TOKENS) + (<usize>token << 2));
    at = putVarint(at, position - before);
    before = position;
  }
  return at;
}

/** The document's entry of a form, made at its first token. */
function entryOf(form: u32): usize {
  const entries = room(B_FORM_ENTRIES, max(load<u32>(H_FORMS) * 4, 4096));
  const index = load<u32>(entries + (<usize>form << 2));
  const count = load<u32>(H_DOC_FORMS);
  if (index < count) {
    const known = buffer(B_DOC_FORMS) + <usize>index * ENTRY;
    if (load<u32>(known, E_FORM) === form) return known;
  }
  const entry = room(B_DOC_FORMS, (count + 1) * ENTRY) + <usize>count * ENTRY;
  store<u32>(entry, form, E_FORM);
  store<u32>(entry, 0, E_TOKENS);
  store<u32>(entry, NONE, E_LAST);
  store<u32>(entries + (<usize>form << 2), count);
  store<u32>(H_DOC_FORMS, count + 1);
  return entry;
}

function nextToken(token: u32): u32 {
  return load<u32>(buffer(B_TOKEN_LINKS) + (<usize>token << 2));
}

function room(id: u32, bytes: u32): usize {
  return bytes <= roomOf(id) ? buffer(id) : reserve(id, bytes);
}

/** One document of many megabytes shall not leave its buffers behind. */
function forgetLarge(): void {
  shrink(B_TOKENS, LARGE_BUFFER);
  shrink(B_TOKEN_LINKS, LARGE_BUFFER);
  shrink(B_DOC_FORMS, LARGE_BUFFER);
  shrink(B_POSTINGS, LARGE_BUFFER);
  shrink(B_POSITIONS, LARGE_BUFFER);
  shrink(B_BLOCK, LARGE_BUFFER);
  shrink(B_BLOCK_FIELDS, LARGE_BUFFER);
  shrink(B_INPUT, LARGE_BUFFER);
  shrink(B_OUTPUT, LARGE_BUFFER);
}
