// What is stored for a form, by its number, which is at least 1: a record, a string, and a signature.
//
// A record, 24 bytes:
//
// 0 string 4 documents 8 tail 12 last document 16 u16 tail bytes 18 u8 tail postings 19 u8 fields 20 directory
//
// The postings are described in `postings.ts`. "documents" counts postings, dead ones included; the high bit
// of "tail postings" is the epoch of the tail and the last document; "fields" has a bit for
// every field in which the form has ever occurred since its last compaction.
//
// A string: u16 length, bytes; when the length has its high bit set, the folded key that the dictionary
// sorts by follows: u16 length, bytes. Without it the key is the form itself.

import { H_FORMS, H_RECORDS, H_SIGNATURES } from './layout.ts';

export const RECORD: u32 = 24;
export const R_STRING: usize = 0;
export const R_DOCUMENTS: usize = 4;
export const R_TAIL: usize = 8;
export const R_LAST: usize = 12;
export const R_TAIL_BYTES: usize = 16;
export const R_TAIL_POSTINGS: usize = 18;
export const R_FIELDS: usize = 19;
export const R_DIRECTORY: usize = 20;

/** Set in the length of a string that a key follows. */
export const HAS_KEY: u32 = 0x8000;

export function recordOf(form: u32): usize {
  assert(form > 0 && form < load<u32>(H_FORMS), 'no such form');
  return <usize>load<u32>(H_RECORDS) + <usize>form * RECORD;
}

export function formCount(): u32 {
  return load<u32>(H_FORMS);
}

/** Whether a number below `formCount()` belongs to a form; numbers of dropped forms do not. */
export function formExists(form: u32): bool {
  return load<u32>(recordOf(form), R_STRING) !== 0;
}

export function formBytes(form: u32): usize {
  return <usize>load<u32>(recordOf(form), R_STRING) + 2;
}

export function formLength(form: u32): u32 {
  return <u32>load<u16>(load<u32>(recordOf(form), R_STRING)) & ~HAS_KEY;
}

/** Address of the key, whose length is the u16 in front of it (without its high bit). */
export function keyBytes(form: u32): usize {
  const text = <usize>load<u32>(recordOf(form), R_STRING);
  const length = <u32>load<u16>(text);
  return (length & HAS_KEY) !== 0 ? text + 4 + (length & ~HAS_KEY) : text + 2;
}

export function keyLength(form: u32): u32 {
  return <u32>load<u16>(keyBytes(form) - 2) & ~HAS_KEY;
}

/** Address of a form's signature (see `signatures.ts`); it is 0 until the form is put in order. */
export function signatureAt(form: u32): usize {
  return <usize>load<u32>(H_SIGNATURES) + (<usize>form << 3);
}
