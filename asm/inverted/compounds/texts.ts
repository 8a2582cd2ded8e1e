// What a division is given: texts, and the forms that are divided, each with a status.
//
// The host writes the texts to B_DIVISION_TEXTS, each as u8 kind, u8 bytes, UTF-8, and a 0 behind the last: links,
// ends that are lost, cores, and then texts that are looked up. It writes the forms to B_DIVISION_FORMS, u64 each: the
// number in the low half, its status in the high half.
//
// B_DIVISION_TABLE is a hash table of the texts to be looked up and of the forms (open addressing, linear probing), u32
// each: the address of a text, or the index of a form and FORM. It is small, so that a lookup is quicker than one in
// the table of all forms.

import { equalBytes, hashBytes } from '../bytes.ts';
import { H_DIVISION } from '../layout.ts';
import { formBytes, formLength } from '../records.ts';
import { B_DIVISION_FORMS, B_DIVISION_TABLE, B_DIVISION_TEXTS, buffer, reserve } from '../scratch.ts';

// Kinds of texts; those to be looked up have the sum of a status and STOP_WORD.
export const LINK_TEXT: u32 = 0x10;
export const LOST_TEXT: u32 = 0x20;
export const CORE_TEXT: u32 = 0x40;
/** A stop word, which is no part. */
export const STOP_WORD: u32 = 0x08;

// Statuses: the word, the word without its last letter, a longer word that it is a part of, and one that it is not.
export const IS_WORD: u32 = 1;
export const IS_SHORTENED: u32 = 2;
export const IS_COMPOUND: u32 = 3;
export const IS_OTHER: u32 = 4;
export const STATUS_BITS: u32 = 0x07;

// The state in the header, u32 each.
const D_LINKS: usize = 0;
const D_LOST: usize = 4;
const D_CORES: usize = 8;
const D_SLOTS: usize = 12;
const D_FORMS: usize = 16;

/** Set in an entry that is the index of a form. */
const FORM: u32 = 0x80000000;

/** Builds the tables of what the host has written. */
export function openTexts(forms: u32): void {
  let at = buffer(B_DIVISION_TEXTS);
  at = noteRun(at, LINK_TEXT, D_LINKS);
  at = noteRun(at, LOST_TEXT, D_LOST);
  at = noteRun(at, CORE_TEXT, D_CORES);
  let texts: u32 = 0;
  for (let next = at; load<u8>(next) !== 0; next = behind(next)) texts++;
  const slots = slotsFor(texts + forms);
  memory.fill(reserve(B_DIVISION_TABLE, slots * 4), 0, <usize>slots << 2);
  store<u32>(H_DIVISION, slots, D_SLOTS);
  store<u32>(H_DIVISION, forms, D_FORMS);
  for (; load<u8>(at) !== 0; at = behind(at)) enter(hashBytes(bytesOf(at), lengthOf(at)), <u32>at);
  for (let i: u32 = 0; i < forms; i++) enter(hashBytes(formBytes(formAt(i)), formLength(formAt(i))), i | FORM);
}

function enter(hash: u32, entry: u32): void {
  const mask = load<u32>(H_DIVISION, D_SLOTS) - 1;
  let i = hash & mask;
  while (load<u32>(slotAt(i)) !== 0) i = (i + 1) & mask;
  store<u32>(slotAt(i), entry);
}

function slotAt(index: u32): usize {
  return buffer(B_DIVISION_TABLE) + (<usize>index << 2);
}

/** Notes where the texts of a kind begin; returns the address behind them. */
function noteRun(at: usize, kind: u32, field: usize): usize {
  store<u32>(H_DIVISION + field, <u32>at);
  while (load<u8>(at) === kind) at = behind(at);
  return at;
}

/** A power of two of which at most half is used. */
function slotsFor(count: u32): u32 {
  return <u32>1 << (33 - clz(count | 7));
}

/** The first text of a kind; the kind of what is behind the last one differs. */
export function links(): usize {
  return load<u32>(H_DIVISION, D_LINKS);
}

export function lostEnds(): usize {
  return load<u32>(H_DIVISION, D_LOST);
}

export function cores(): usize {
  return load<u32>(H_DIVISION, D_CORES);
}

export function isKind(text: usize, kind: u32): bool {
  return load<u8>(text) === kind;
}

export function lengthOf(text: usize): u32 {
  return load<u8>(text, 1);
}

export function bytesOf(text: usize): usize {
  return text + 2;
}

export function behind(text: usize): usize {
  return text + 2 + lengthOf(text);
}

/**
 * Status and STOP_WORD of a text; 0 if nothing is known of it. A form that is divided has its own status once that is
 * known, unless it is the word itself.
 */
export function kindOf(at: usize, length: u32, hash: u32): u32 {
  const mask = load<u32>(H_DIVISION, D_SLOTS) - 1;
  let kind: u32 = 0;
  let i = hash & mask;
  for (let entry = load<u32>(slotAt(i)); entry !== 0; entry = load<u32>(slotAt(i))) {
    if ((entry & FORM) === 0) {
      if (kind === 0 && lengthOf(entry) === length && equalBytes(bytesOf(entry), at, length)) kind = load<u8>(entry);
    } else if (hasBytes(formAt(entry & ~FORM), at, length)) {
      const status = load<u32>(addressOf(entry & ~FORM), 4);
      return status === 0 || (kind & STATUS_BITS) === IS_WORD ? kind : (kind & STOP_WORD) | status;
    }
    i = (i + 1) & mask;
  }
  return kind;
}

function hasBytes(form: u32, at: usize, length: u32): bool {
  return formLength(form) === length && equalBytes(formBytes(form), at, length);
}

export function formsToDivide(): u32 {
  return load<u32>(H_DIVISION, D_FORMS);
}

function addressOf(index: u32): usize {
  return buffer(B_DIVISION_FORMS) + (<usize>index << 3);
}

export function formAt(index: u32): u32 {
  return load<u32>(addressOf(index));
}

export function setStatus(index: u32, status: u32): void {
  store<u32>(addressOf(index), status, 4);
}
