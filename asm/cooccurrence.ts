// Counts which terms stand near each other, and finds for each term those that do so more often than
// chance would have it (PPMI). One memory holds one count; how its bytes lie is drawn in
// `cooccurrence/layout.ts`. Terms are numbers from 1 that the host gives them; 0 is a gap in the text.

import { countOf, countsAt, marginalAt } from './cooccurrence/terms.ts';
import { addPair, emptyTable, sweep } from './cooccurrence/pairs.ts';
import { H_DOCUMENT, H_MAX_SLOTS, MAX_SLOTS, MAX_TERMS, MIN_SLOTS, REACH, TOKEN_ROOM, TOKENS } from './cooccurrence/layout.ts';

// (The compiler finds re-exported files without their ending only.)
export { bestOf, rank } from './cooccurrence/best';

/** Begins in a memory that is zero. `maxSlots`, a power of two, bounds the table of pairs. */
export function initialize(maxSlots: u32): void {
  assert(popcnt(maxSlots) === 1 && maxSlots >= MIN_SLOTS && maxSlots <= MAX_SLOTS, 'a table of another size');
  store<u32>(H_MAX_SLOTS, maxSlots);
  emptyTable();
}

/** Where the host writes tokens, u32 each; room for `tokenRoom` of them. */
export function tokens(): usize {
  return TOKENS;
}

export function tokenRoom(): u32 {
  return TOKEN_ROOM;
}

/** Says that the tokens to come are those of another document. */
export function beginDocument(): void {
  store<u32>(H_DOCUMENT, load<u32>(H_DOCUMENT) + 1);
}

/**
 * Counts the tokens from `from` to `end`, and the pairs that they make with the four before them; tokens
 * in front of `from` were counted already, and are there for the pairs only.
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

/** Forgets the terms below `end` that occurred at most so often, with their pairs: their count is 0, their numbers are free. */
export function forgetTerms(end: u32, occurrences: u32): void {
  for (let term: u32 = 1; term < end; term++) {
    if (countOf(term) > occurrences) continue;
    store<u32>(countsAt(term), 0);
    store<u64>(marginalAt(term), 0);
  }
  sweep(0);
}

