// The postings in which a phrase has found the words of its candidates, chunk by chunk, so that those of the candidates
// that remain are read without being searched for again. B_CHOSEN has for each chunk, u32 each:
//
//     word, form, chunk, number of postings, the postings as `choose` returns them

import { BLOCK, CHOSEN, H_CHOSEN } from './layout.ts';
import { keepRemaining } from './phrase-decisions.ts';
import { B_CHOSEN, buffer, reserve } from './scratch.ts';

const N_WORD: usize = 0;
const N_FORM: usize = 4;
const N_CHUNK: usize = 8;
const N_COUNT: usize = 12;
const N_POSTINGS: u32 = 16;

export function forgetNoted(): void {
  store<u32>(H_CHOSEN, 0);
}

/** Address to which the postings of a chunk must be written; `notePostings` must follow. */
export function placeForPostings(): usize {
  const used = load<u32>(H_CHOSEN);
  return reserve(B_CHOSEN, used + N_POSTINGS + (BLOCK << 2)) + <usize>(used + N_POSTINGS);
}

/** Notes the postings that were written. */
export function notePostings(word: u32, form: u32, chunk: u32, count: u32): void {
  const used = load<u32>(H_CHOSEN);
  const to = buffer(B_CHOSEN) + <usize>used;
  store<u32>(to, word, N_WORD);
  store<u32>(to, form, N_FORM);
  store<u32>(to, chunk, N_CHUNK);
  store<u32>(to, count, N_COUNT);
  store<u32>(H_CHOSEN, used + N_POSTINGS + (count << 2));
}

/** The first noted chunk. */
export function firstNoted(): usize {
  return buffer(B_CHOSEN);
}

export function endOfNoted(): usize {
  return buffer(B_CHOSEN) + <usize>load<u32>(H_CHOSEN);
}

export function nextNoted(noted: usize): usize {
  return noted + N_POSTINGS + (<usize>load<u32>(noted, N_COUNT) << 2);
}

export function notedWord(noted: usize): u32 {
  return load<u32>(noted, N_WORD);
}

export function notedForm(noted: usize): u32 {
  return load<u32>(noted, N_FORM);
}

export function notedChunk(noted: usize): u32 {
  return load<u32>(noted, N_CHUNK);
}

/**
 * Writes the postings to CHOSEN that must be read, of candidates that remain, with their new ranks; returns their
 * number.
 */
export function chooseRemaining(noted: usize): u32 {
  return keepRemaining(notedWord(noted), noted + N_POSTINGS, nextNoted(noted), CHOSEN);
}
