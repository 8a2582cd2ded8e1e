// The document that is being added: its tokens, chained by form, and from them its postings.

import { putVarint } from './bytes.ts';
import { newDocument } from './documents.ts';
import { FIELDS, H_DOC_FORMS, H_FORMS, H_TOKEN_COUNTS, H_TOKENS } from './layout.ts';
import { appendPosting } from './postings.ts';
import { renewTail } from './renewal.ts';
import {
  B_BLOCK, B_DOC_FORMS, B_FORM_ENTRIES, B_INPUT, B_OUTPUT, B_POSITIONS, B_POSTINGS, B_TOKEN_LINKS, B_TOKENS, buffer, reserve, roomOf, shrink,
} from './scratch.ts';

const FIELD_SHIFT: u32 = 29;
export const POSITION_MASK: u32 = 0x1fffffff;
const NONE: u32 = 0xffffffff;
const LARGE_BUFFER: u32 = 4 << 20;

// An entry of B_DOC_FORMS.
const ENTRY: u32 = 16;
const E_FORM: usize = 0;
const E_TOKENS: usize = 4;
const E_FIRST: usize = 8;
const E_LAST: usize = 12;

export function beginDocument(): void {
  store<u32>(H_TOKENS, 0);
  store<u32>(H_DOC_FORMS, 0);
  memory.fill(H_TOKEN_COUNTS, 0, FIELDS * 4);
}

/** Adds a token. Fields come in ascending order, and positions never descend within one. */
export function addToken(field: u32, form: u32, position: u32): void {
  assert(field < FIELDS && position <= POSITION_MASK, 'a field or position out of range');
  const token = load<u32>(H_TOKENS);
  const tokens = room(B_TOKENS, (token + 1) * 4);
  const links = room(B_TOKEN_LINKS, (token + 1) * 4);
  store<u32>(tokens + (<usize>token << 2), (field << FIELD_SHIFT) | position);
  store<u32>(links + (<usize>token << 2), NONE);
  store<u32>(H_TOKENS, token + 1);
  const counter = H_TOKEN_COUNTS + (<usize>field << 2);
  store<u32>(counter, load<u32>(counter) + 1);
  const entry = entryOf(form);
  const earlier = load<u32>(entry, E_LAST);
  if (earlier === NONE) store<u32>(entry, token, E_FIRST);
  else store<u32>(links + (<usize>earlier << 2), token);
  store<u32>(entry, token, E_LAST);
  store<u32>(entry, load<u32>(entry, E_TOKENS) + 1, E_TOKENS);
}

/** Turns the tokens into postings of a new document with the caller's ordinal, which has none. Gives its number. */
export function commitDocument(ordinal: u32): u32 {
  const doc = newDocument(ordinal);
  const forms = load<u32>(H_DOC_FORMS);
  for (let i: u32 = 0; i < forms; i++) {
    const entry = buffer(B_DOC_FORMS) + <usize>i * ENTRY;
    const posting = room(B_POSTINGS, 64 + 6 * load<u32>(entry, E_TOKENS));
    const end = encode(entry, posting);
    renewTail(load<u32>(entry, E_FORM));
    appendPosting(load<u32>(entry, E_FORM), doc, posting, end, fieldsOf(entry), isSingle(entry));
  }
  forgetLarge();
  return doc;
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

/** Bits of the fields in which the form of an entry stands. */
function fieldsOf(entry: usize): u32 {
  let fields: u32 = 0;
  for (let token = load<u32>(entry, E_FIRST); token !== NONE; token = nextToken(token)) fields |= 1 << (tokenAt(token) >> FIELD_SHIFT);
  return fields;
}

/** Whether the form of an entry stands once, in the content. */
function isSingle(entry: usize): bool {
  return load<u32>(entry, E_TOKENS) === 1 && tokenAt(load<u32>(entry, E_FIRST)) >> FIELD_SHIFT === 0;
}

/** Writes what a tail has of an entry behind its first number (see `postings.ts`); gives the address behind it. */
function encode(entry: usize, at: usize): usize {
  const fields = fieldsOf(entry);
  const tokens = load<u32>(entry, E_TOKENS);
  if (!isSingle(entry)) at = putVarint(at, (tokens << 1) | <u32>(fields !== 1));
  if (fields !== 1) at = encodeFields(entry, fields, at);
  let field: u32 = FIELDS;
  let previous: u32 = 0;
  for (let token = load<u32>(entry, E_FIRST); token !== NONE; token = nextToken(token)) {
    const position = tokenAt(token) & POSITION_MASK;
    if (tokenAt(token) >> FIELD_SHIFT !== field) {
      field = tokenAt(token) >> FIELD_SHIFT;
      previous = 0;
    }
    at = putVarint(at, position - previous);
    previous = position;
  }
  return at;
}

function encodeFields(entry: usize, fields: u32, at: usize): usize {
  store<u8>(at++, <u8>fields);
  for (let field: u32 = 1; field < FIELDS; field++) {
    if ((fields & (1 << field)) === 0) continue;
    let frequency: u32 = 0;
    for (let token = load<u32>(entry, E_FIRST); token !== NONE; token = nextToken(token)) {
      if (tokenAt(token) >> FIELD_SHIFT === field) frequency++;
    }
    at = putVarint(at, frequency);
  }
  return at;
}

function tokenAt(token: u32): u32 {
  return load<u32>(buffer(B_TOKENS) + (<usize>token << 2));
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
  shrink(B_INPUT, LARGE_BUFFER);
  shrink(B_OUTPUT, LARGE_BUFFER);
}
