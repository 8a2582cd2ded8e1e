// Counts which terms occur near each other, and finds for each term the neighbours that occur more often than
// by chance (PPMI). One memory holds one count; `cooccurrence/layout.ts` draws the layout of its bytes.
// Terms are numbers from 1 that the host assigns; 0 is a gap in the text.

import { H_DOCUMENT, H_MAX_SLOTS, MAX_SLOTS, MAX_TERMS, MIN_SLOTS, REACH, TOKEN_ROOM,
  TOKENS } from './cooccurrence/layout.ts';
import { addPair, emptyTable, sweep } from './cooccurrence/pairs.ts';
import { countOf, countsAt, marginalAt } from './cooccurrence/terms.ts';

// (The compiler finds re-exported files only without their extension.)
export { bestOf, rank } from './cooccurrence/best';

/** Makes an empty count in a memory that is all zero. `maxSlots`, a power of two, limits the table of pairs. */
export function initialize(maxSlots: u32): void {
  assert(popcnt(maxSlots) === 1 && maxSlots >= MIN_SLOTS && maxSlots <= MAX_SLOTS, 'a table of another size');
  store<u32>(H_MAX_SLOTS, maxSlots);
  emptyTable();
}

/** Address to which the host writes tokens, u32 each; there is space for `tokenRoom` of them. */
export function tokens(): usize {
  return TOKENS;
}

export function tokenRoom(): u32 {
  return TOKEN_ROOM;
}

/** Begins a new document: the following tokens belong to it. */
export function beginDocument(): void {
  store<u32>(H_DOCUMENT, load<u32>(H_DOCUMENT) + 1);
}

/**
 * Counts the tokens from `from` to `end`, and the pairs that they make with the four tokens before them. Tokens
 * before `from` were counted already; they are used only for pairs.
 */
export function count(from: u32, end: u32): void {
  assert(from <= end && end <= TOKEN_ROOM, 'tokens out of bounds');
  for (let i = from; i < end; i++) {
    const term = tokenAt(i);
    if (term === 0) continue;
    assert(term < MAX_TERMS, 'a term out of range');
    store<u32>(countsAt(term), countOf(term) + 1);
    for (let j = i > REACH ? i - REACH : 0; j < i; j++) {
      const other = tokenAt(j);
      if (other !== 0 && other !== term) addPair(min(term, other), max(term, other));
    }
  }
}

function tokenAt(index: u32): u32 {
  return load<u32>(TOKENS + (<usize>index << 2));
}

/** Occurrences of each term, u32 by its number. */
export function counts(): usize {
  return countsAt(0);
}

/**
 * Forgets the terms below `end` with at most `occurrences` occurrences, and their pairs: their count becomes 0, their
 * numbers become free.
 */
export function forgetTerms(end: u32, occurrences: u32): void {
  for (let term: u32 = 1; term < end; term++) {
    if (countOf(term) > occurrences) continue;
    store<u32>(countsAt(term), 0);
    store<u64>(marginalAt(term), 0);
  }
  sweep(0);
}
