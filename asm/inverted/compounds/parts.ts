// What stands around a part of the current form: words of the index, of which all but the last may have a link, or may
// have lost their ends. What only the host knows is noted as a question.

import { equalBytes } from '../bytes.ts';
import { H_DIVISION } from '../layout.ts';
import { addressOf, end, IS_INFLECTED, IS_ITSELF, isWord, isWordWith, LEAST_PART, mayBePart, note, noted, NOWHERE,
  offsetOf, WORDS_BEFORE, WORDS_BEHIND } from './form.ts';
import { behind as next, bytesOf, isKind, lengthOf, LINK_TEXT, links, LOST_TEXT, lostEnds } from './texts.ts';
import { noteTruth, truthOf } from './truths.ts';

// Truths that may be unknown.
export const NO: u32 = 1;
export const YES: u32 = 2;
/** The host is asked first. */
export const ASKED: u32 = 3;

// Questions to which the answers are remembered.
const ARE_BEFORE: u32 = 1;
const ARE_BEHIND: u32 = 2;

/** Places in the header behind those of `form.ts`: what is asked, and of the letters behind which place. */
const D_QUESTION: usize = 36;
const D_ASKED: usize = 40;

/** The answer to a question about the letters behind a place. */
export function ask(question: usize, place: u32): u32 {
  const answer = noted(question, place);
  if (answer !== 0) return answer;
  store<u32>(H_DIVISION, <u32>question, D_QUESTION);
  store<u32>(H_DIVISION, place, D_ASKED);
  return ASKED;
}

/** Notes the answer of the host: `NO`, `YES`. */
export function answer(truth: u32): void {
  note(load<u32>(H_DIVISION, D_QUESTION), load<u32>(H_DIVISION, D_ASKED), truth);
}

/** Whether the question is that for the word itself, and not for any inflection. */
export function isAskedForItself(): bool {
  return load<u32>(H_DIVISION, D_QUESTION) === IS_ITSELF;
}

export function askedPlace(): u32 {
  return load<u32>(H_DIVISION, D_ASKED);
}

/** Whether letters before a part are one word or several. */
export function areBefore(last: u32): bool {
  if (last < LEAST_PART) return false;
  const known = noted(WORDS_BEFORE, last);
  if (known !== 0) return known === YES;
  const bytes = offsetOf(last);
  const before = truthOf(ARE_BEFORE, addressOf(0), bytes);
  if (before !== 0) return note(WORDS_BEFORE, last, before) === YES;
  let are = isModifier(0, last);
  for (let at = last - LEAST_PART; !are && at >= LEAST_PART; at--) are = areBefore(at) && isModifier(at, last);
  noteTruth(ARE_BEFORE, addressOf(0), bytes, note(WORDS_BEFORE, last, are ? YES : NO));
  return are;
}

/** Whether letters behind a part are one word, in any inflection, or several. */
export function areBehind(first: u32): u32 {
  if (first + LEAST_PART > end() || offsetOf(first) === NOWHERE) return NO;
  const known = noted(WORDS_BEHIND, first);
  if (known !== 0) return known;
  const bytes = offsetOf(end()) - offsetOf(first);
  const before = truthOf(ARE_BEHIND, addressOf(first), bytes);
  if (before !== 0) return note(WORDS_BEHIND, first, before);
  let are = isWord(first, end()) ? YES : mayBePart(first, end()) ? ask(IS_INFLECTED, first) : NO;
  for (let at = first + LEAST_PART; are === NO && at + LEAST_PART <= end(); at++)
    if (isModifier(first, at)) are = areBehind(at);
  if (are === ASKED) return are;
  noteTruth(ARE_BEHIND, addressOf(first), bytes, are);
  return note(WORDS_BEHIND, first, are);
}

/** The same for letters that may begin with a link. */
export function areBehindLink(first: u32): u32 {
  let are = areBehind(first);
  const bytes = offsetOf(end()) - offsetOf(first);
  for (let link = links(); are === NO && isKind(link, LINK_TEXT); link = next(link)) {
    const length = lengthOf(link);
    // Links are of ASCII: a byte is a place.
    if (length <= bytes && equalBytes(addressOf(first), bytesOf(link), length)) are = areBehind(first + length);
  }
  return are;
}

/** Whether letters are a word, which may have a link, and may have lost its end before: `arbets` of `arbete`. */
function isModifier(first: u32, last: u32): bool {
  if (!mayBePart(first, last)) return false;
  if (isModifying(first, last)) return true;
  for (let link = links(); isKind(link, LINK_TEXT); link = next(link)) {
    const length = lengthOf(link);
    if (first + LEAST_PART + length > last || !equalBytes(addressOf(last) - length, bytesOf(link), length)) continue;
    if (isModifying(first, last - length)) return true;
  }
  return false;
}

function isModifying(first: u32, last: u32): bool {
  if (isWord(first, last)) return true;
  for (let lost = lostEnds(); isKind(lost, LOST_TEXT); lost = next(lost))
    if (isWordWith(first, last, lost)) return true;
  return false;
}

/** Whether a longer word ends with the form and begins within a part: `instinkt` within `urin` of `urinstinkt`. */
export function hasLongerEnd(first: u32, last: u32): bool {
  for (let at = first + 1; at < last; at++)
    if (isWord(at, end()) && !isWord(at, last) && (at < LEAST_PART || areBefore(at))) return true;
  return false;
}
