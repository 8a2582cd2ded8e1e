// Forms whose keys a pattern matches.

import { characterLength, codePointAt } from './bytes.ts';
import { collectRange, output } from './dictionary.ts';
import { H_BACKWARD, H_FORWARD } from './layout.ts';
import { formCount, formExists, keyBytes, keyLength } from './records.ts';
import { B_OUTPUT, buffer } from './scratch.ts';
import { hasSignature, nextWithSignature, signatureOfPattern } from './signatures.ts';

/** In a pattern of u32 code points: any number of characters, exactly one, and at its end one or none. */
export const ANY: u32 = 0xffffffff;
export const ONE: u32 = 0xfffffffe;
export const MAY_BE: u32 = 0xfffffffd;

/**
 * Writes the forms that a pattern of `length` code points at `pattern` matches to B_OUTPUT, in no order, at most
 * `limit`; returns their number. The literal bytes at the start or end of every match select the range of forms, and
 * those within the pattern select which of these are compared.
 */
export function collectMatches(pattern: usize, length: u32, affix: usize, affixBytes: u32, backward: bool,
  limit: u32): u32
{
  const bits = signatureOfPattern(pattern, length);
  if (affixBytes === 0) return collectAnywhere(pattern, length, bits, limit);
  const candidates = collectRange(backward ? H_BACKWARD : H_FORWARD, affix, affixBytes, u32.MAX_VALUE);
  let found: u32 = 0;
  for (let i: u32 = 0; i < candidates && found < limit; i++) {
    const form = load<u32>(buffer(B_OUTPUT) + (<usize>i << 2));
    if (hasSignature(form, bits) && matches(pattern, length, keyBytes(form), keyLength(form))) output(found++, form);
  }
  return found;
}

function collectAnywhere(pattern: usize, length: u32, bits: u64, limit: u32): u32 {
  const least = leastBytes(pattern, length);
  let found: u32 = 0;
  for (let form = nextWithSignature(1, bits); form < formCount() && found < limit;
    form = nextWithSignature(form + 1, bits))
  {
    if (!formExists(form) || keyLength(form) < least) continue;
    if (matches(pattern, length, keyBytes(form), keyLength(form))) output(found++, form);
  }
  return found;
}

/** Bytes that every match has at least: long keys have most signatures, but only few are as long as a long pattern. */
function leastBytes(pattern: usize, length: u32): u32 {
  let bytes: u32 = 0;
  for (let i: u32 = 0; i < length; i++) bytes += <u32>!isEmptyAtEnd(load<u32>(pattern + (<usize>i << 2)));
  return bytes;
}

/** Greedy matching that backtracks to the last "any" only, which suffices for patterns without classes. */
function matches(pattern: usize, length: u32, at: usize, bytes: u32): bool {
  const end = at + bytes;
  let i: u32 = 0;
  let star: u32 = ANY;
  let retry: usize = 0;
  while (at < end) {
    const width = characterLength(load<u8>(at));
    const wanted = i < length ? load<u32>(pattern + (<usize>i << 2)) : 0;
    if (i < length && wanted === ANY) {
      star = i++;
      retry = at;
    } else if (i < length && (wanted === ONE || wanted === MAY_BE || wanted === codePointAt(at, width))) {
      i++;
      at += width;
    } else if (star !== ANY) {
      retry += characterLength(load<u8>(retry));
      at = retry;
      i = star + 1;
    } else return false;
  }
  while (i < length && isEmptyAtEnd(load<u32>(pattern + (<usize>i << 2)))) i++;
  return i === length;
}

function isEmptyAtEnd(sign: u32): bool {
  return sign === ANY || sign === MAY_BE;
}
