// Signatures of keys, which rule out most keys that do not contain a literal: 64 bits per form. Each byte, each pair
// and each triple of neighbouring bytes sets one bit, chosen by a hash (a Bloom filter of a key's n-grams). A key can
// contain a literal only if it has all the bits of the literal. So a pattern without a literal at its start or end
// reads 8 bytes of each form, and the keys of only a few.

import { putCodePoint } from './bytes.ts';
import { FORM_BUFFER } from './layout.ts';
import { formCount, keyBytes, keyLength, signatureAt } from './records.ts';

/** Code points from here on are special characters of a pattern. */
const FIRST_SIGN: u32 = 0xfffffffd;
/** Bytes of a literal that are used: more would not rule out more keys. */
const MAX_LITERAL: usize = 256;

/** Stores the signature of a form that has its key. */
export function signForm(form: u32): void {
  store<u64>(signatureAt(form), signatureOf(keyBytes(form), keyLength(form)));
}

export function signatureOf(at: usize, length: u32): u64 {
  let bits: u64 = 0;
  let last: u32 = 0;
  for (let i: u32 = 0; i < length; i++) {
    last = ((last << 8) | <u32>load<u8>(at + i)) & 0xffffff;
    bits |= <u64>1 << (((last & 0xff) * 0xc2b2ae35) >> 26);
    if (i > 0) bits |= <u64>1 << (((last & 0xffff) * 0x9e3779b1) >> 26);
    if (i > 1) bits |= <u64>1 << ((last * 0x85ebca6b) >> 26);
  }
  return bits;
}

/** The bits of every key that a pattern of u32 code points matches: the bits of its literals. */
export function signatureOfPattern(pattern: usize, length: u32): u64 {
  let bits: u64 = 0;
  let to = FORM_BUFFER;
  for (let i: u32 = 0; i < length; i++) {
    const codePoint = load<u32>(pattern + (<usize>i << 2));
    if (codePoint >= FIRST_SIGN) {
      bits |= signatureOf(FORM_BUFFER, <u32>(to - FORM_BUFFER));
      to = FORM_BUFFER;
    } else if (to < FORM_BUFFER + MAX_LITERAL) to = putCodePoint(to, codePoint);
  }
  return bits | signatureOf(FORM_BUFFER, <u32>(to - FORM_BUFFER));
}

export function hasSignature(form: u32, bits: u64): bool {
  return (load<u64>(signatureAt(form)) & bits) === bits;
}

/** The first form from `form` on that has all of some bits; `formCount()` if there is none. */
export function nextWithSignature(form: u32, bits: u64): u32 {
  const end = formCount();
  const wanted = i64x2.splat(<i64>bits);
  for (let at = signatureAt(form); form + 4 <= end; at += 32) {
    const first = i64x2.eq(v128.and(v128.load(at), wanted), wanted);
    const second = i64x2.eq(v128.and(v128.load(at, 16), wanted), wanted);
    if (v128.any_true(v128.or(first, second))) break;
    form += 4;
  }
  while (form < end && !hasSignature(form, bits)) form++;
  return form;
}
