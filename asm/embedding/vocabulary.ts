// The tokens by their bytes: an open hash table whose slots have a token's id + 1 in their low half and a part of its
// hash in the high half. Tokens that continue a word begin with `##` in the file; they are hashed without it, from a
// different seed.

import { H_LONGEST, H_UNKNOWN, LONGEST_TOKEN, offsetAt, slotAt, slotMask, tokenCount, vocabularyAt,
  vocabularyBytes } from './layout.ts';

const NEWLINE: u8 = 0x0a;
const MARK: u8 = 0x23;
/** FNV-1a, 32 bits. */
const PRIME: u32 = 16_777_619;
const WORD_SEED: u32 = 2_166_136_261;
const PIECE_SEED: u32 = 0x9e37_79b9;
export const NONE: u32 = 0xffff_ffff;

/** The hash of no bytes, for the beginning of a word or for its continuation. */
export function seedOf(continues: bool): u32 {
  return continues ? PIECE_SEED : WORD_SEED;
}

export function hashOf(hash: u32, byte: u32): u32 {
  return (hash ^ byte) * PRIME;
}

/**
 * Puts the lines of the vocabulary, which the host has written, into the table. Returns their number; there must be as
 * many vectors.
 */
export function indexVocabulary(): u32 {
  memory.fill(slotAt(0), 0, (<usize>slotMask() + 1) * 4);
  const first = vocabularyAt();
  const end = first + vocabularyBytes();
  let token: u32 = 0;
  let longest: u32 = 0;
  let at = first;
  for (; at < end && token < tokenCount(); token++) {
    let lineEnd = at;
    while (lineEnd < end && load<u8>(lineEnd) !== NEWLINE) lineEnd++;
    store<u32>(offsetAt(token), <u32>(at - first));
    if (lineEnd > at) longest = max(longest, addToken(token, at, lineEnd));
    at = lineEnd + 1;
  }
  store<u32>(offsetAt(token), <u32>(at - first));
  store<u32>(H_LONGEST, min(longest, LONGEST_TOKEN));
  return token;
}

/** Adds a token; returns its length. */
function addToken(token: u32, at: usize, end: usize): u32 {
  const continues = end - at > 2 && load<u8>(at) === MARK && load<u8>(at + 1) === MARK;
  const start = continues ? at + 2 : at;
  let hash = seedOf(continues);
  for (let byte = start; byte < end; byte++) hash = hashOf(hash, load<u8>(byte));
  let slot = placeOf(hash);
  while (load<u32>(slotAt(slot)) !== 0) slot = (slot + 1) & slotMask();
  store<u32>(slotAt(slot), (hash & 0xffff_0000) | (token + 1));
  if (end - at === 5 && load<u32>(at) === 0x4b4e_555b) store<u32>(H_UNKNOWN, token); // `[UNK`
  return <u32>(end - start);
}

/** The low bits of an FNV hash are its weakest. */
function placeOf(hash: u32): u32 {
  return (hash ^ (hash >>> 15)) & slotMask();
}

/** The token of some bytes with this hash, or NONE. */
export function find(at: usize, length: u32, hash: u32, continues: bool): u32 {
  const tag = hash & 0xffff_0000;
  let slot = placeOf(hash);
  let entry = load<u32>(slotAt(slot));
  while (entry !== 0) {
    if ((entry & 0xffff_0000) === tag) {
      const token = (entry & 0xffff) - 1;
      if (isToken(token, at, length, continues)) return token;
    }
    slot = (slot + 1) & slotMask();
    entry = load<u32>(slotAt(slot));
  }
  return NONE;
}

function isToken(token: u32, at: usize, length: u32, continues: bool): bool {
  const start = load<u32>(offsetAt(token));
  const bytes = load<u32>(offsetAt(token + 1)) - 1 - start;
  const line = vocabularyAt() + start;
  const marked: bool = bytes > 2 && load<u8>(line) === MARK && load<u8>(line + 1) === MARK;
  if (marked !== continues || bytes !== length + (continues ? 2 : 0)) return false;
  const own = continues ? line + 2 : line;
  for (let i: usize = 0; i < <usize>length; i++) if (load<u8>(own + i) !== load<u8>(at + i)) return false;
  return true;
}
