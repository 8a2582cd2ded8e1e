// Which of some forms a word is a part of (see `src/search/inverted/compounds.ts`). Shorter forms are decided first,
// because they may be parts of the longer ones. The host divides in slices, and between two of them it may do something
// else: all that a slice needs is written before it.

import { characterLength, codePointAt, equalBytes } from '../bytes.ts';
import { H_DIVISION } from '../layout.ts';
import { formBytes, formCount, formExists, formLength, keyBytes, keyLength } from '../records.ts';
import { B_DIVISION_FORMS, buffer, reserve } from '../scratch.ts';
import { nextWithSignature, signatureOf } from '../signatures.ts';
import { sort } from '../sorting.ts';
import { isLetter } from '../tokenizer.ts';
import { addressOf, D_SPENT, end, IS_ITSELF, LEAST_PART, MAX_UNITS, mayBePart, offsetOf, openForm, placeOf, statusOf,
  unitsOf } from './form.ts';
import { answer, areBefore, areBehindLink, ask, ASKED, askedPlace, hasLongerEnd, isAskedForItself, NO,
  YES } from './parts.ts';
import { behind, bytesOf, CORE_TEXT, cores, formAt, formsToDivide, IS_COMPOUND, IS_OTHER, IS_SHORTENED, IS_WORD, isKind,
  lengthOf, openTexts, setStatus } from './texts.ts';
import { forgetTruths } from './truths.ts';

/** Minimum letters of a word, and of what stands beside it, by which a compound is known without its other part. */
const LONG_WORD: u32 = 7;
const LONG_REST: u32 = 6;
/** What a question to the host counts, in lookups. */
const QUESTION: u32 = 20;

/** Places in the header behind those of `parts.ts`: the form that is divided next, and whether it is open. */
const D_NEXT: usize = 44;
const D_OPEN: usize = 48;

/** What `divide` asks the host: whether letters are an inflection of a word of the index, or of the word itself. */
export const ASKS_INFLECTED: u32 = 1;
export const ASKS_ITSELF: u32 = 2;

/**
 * Writes the forms that may be divided to B_DIVISION_FORMS: of those that contain a core, at most `limit` of each, all
 * of letters only that are not too long. The shorter ones come first. Returns their number.
 */
export function findForms(limit: u32): u32 {
  openTexts(0);
  let found: u32 = 0;
  for (let core = cores(); isKind(core, CORE_TEXT); core = behind(core)) found = addForms(core, limit, found);
  if (found === 0) return 0;
  const list = buffer(B_DIVISION_FORMS);
  sort(list, found);
  for (let i: u32 = 0; i < found; i++) store<u32>(list + (<usize>i << 3), 0, 4);
  return found;
}

/** Adds forms as u64: units, number. */
function addForms(core: usize, limit: u32, found: u32): u32 {
  const bits = signatureOf(bytesOf(core), lengthOf(core));
  let matches: u32 = 0;
  for (let form = nextWithSignature(1, bits); form < formCount() && matches < limit;
    form = nextWithSignature(form + 1, bits))
  {
    if (!formExists(form) || lastPlace(keyBytes(form), keyLength(form), core) < 0) continue;
    matches++;
    const units = unitsOf(formBytes(form), formLength(form));
    if (units > MAX_UNITS || !isOfLetters(form) || hasCoreBefore(form, core)) continue;
    const list = reserve(B_DIVISION_FORMS, (found + 1) << 3);
    store<u64>(list + (<usize>found << 3), (<u64>units << 32) | form);
    found++;
  }
  return found;
}

/** Whether a form was added for another core. */
function hasCoreBefore(form: u32, core: usize): bool {
  for (let other = cores(); other < core; other = behind(other))
    if (lastPlace(keyBytes(form), keyLength(form), other) >= 0) return true;
  return false;
}

function isOfLetters(form: u32): bool {
  const to = formBytes(form) + formLength(form);
  for (let at = formBytes(form); at < to;) {
    const length = characterLength(load<u8>(at));
    if (!isLetter(codePointAt(at, length))) return false;
    at += length;
  }
  return true;
}

/** Begins or continues with a form: the texts, and the forms with their statuses, are written. */
export function openDivision(forms: u32, first: u32): void {
  openTexts(forms);
  forgetTruths();
  store<u32>(H_DIVISION, first, D_NEXT);
  store<u32>(H_DIVISION, 0, D_OPEN);
  store<u32>(H_DIVISION, 0, D_SPENT);
}

/**
 * Divides forms until about `lookups` words were looked up, and returns 0: then `nextToDivide()` tells how many are
 * decided. If it returns something else, it asks the host about letters of the form (`askedAt`, `askedLength`), and the
 * next call has the answer: 1 for no, 2 for yes.
 */
export function divide(lookups: u32, given: u32): u32 {
  if (given !== 0) answer(given);
  for (let i = nextToDivide(); i < formsToDivide(); i++) {
    if (load<u32>(H_DIVISION, D_OPEN) === 0) {
      if (load<u32>(H_DIVISION, D_SPENT) >= lookups) break;
      openForm(formAt(i));
    }
    const status = decide();
    if (status === 0) {
      store<u32>(H_DIVISION, 1, D_OPEN);
      store<u32>(H_DIVISION, load<u32>(H_DIVISION, D_SPENT) + QUESTION, D_SPENT);
      return isAskedForItself() ? ASKS_ITSELF : ASKS_INFLECTED;
    }
    setStatus(i, status);
    store<u32>(H_DIVISION, i + 1, D_NEXT);
    store<u32>(H_DIVISION, 0, D_OPEN);
  }
  return 0;
}

export function nextToDivide(): u32 {
  return load<u32>(H_DIVISION, D_NEXT);
}

/** The letters about which the host is asked. */
export function askedAt(): usize {
  return addressOf(askedPlace());
}

export function askedLength(): u32 {
  return offsetOf(end()) - offsetOf(askedPlace());
}

/** The status of the current form; 0 if the host is asked first. */
function decide(): u32 {
  const known = statusOf(0, end());
  if (known === IS_WORD || known === IS_OTHER) return known;
  const form = formAt(nextToDivide());
  for (let core = cores(); isKind(core, CORE_TEXT); core = behind(core)) {
    const isFolded = lastPlace(formBytes(form), formLength(form), core) < 0;
    const at = isFolded ? keyBytes(form) : formBytes(form);
    const length = isFolded ? keyLength(form) : formLength(form);
    if (isFolded && unitsOf(at, length) !== end()) continue;
    const last = lastPlace(at, length, core);
    if (last < 0) continue;
    const first = firstPlace(at, length, core);
    const truth = isPartAt(isFolded ? unitsOf(at, first) : placeOf(first), core);
    if (truth === ASKED) return 0;
    if (truth === YES) return IS_COMPOUND;
    if (<u32>last === first) continue;
    const other = isPartAt(isFolded ? unitsOf(at, last) : placeOf(last), core);
    if (other === ASKED) return 0;
    if (other === YES) return IS_COMPOUND;
  }
  return IS_OTHER;
}

/** The offset of the last occurrence of a core, or -1. */
function lastPlace(at: usize, length: u32, core: usize): i32 {
  const bytes = lengthOf(core);
  for (let offset = <i32>length - <i32>bytes; offset >= 0; offset--)
    if (equalBytes(at + offset, bytesOf(core), bytes)) return offset;
  return -1;
}

/** The offset of the first occurrence of a core that occurs. */
function firstPlace(at: usize, length: u32, core: usize): u32 {
  let offset: u32 = 0;
  while (!equalBytes(at + offset, bytesOf(core), lengthOf(core))) offset++;
  assert(offset + lengthOf(core) <= length, 'a core that does not occur');
  return offset;
}

/**
 * Whether the word is a part of the form where a core begins at `from`. The longest word around it that other words
 * stand around decides; without any, the longest that is long enough beside anything.
 */
function isPartAt(from: u32, core: usize): u32 {
  const units = unitsOf(bytesOf(core), lengthOf(core));
  const to = from + units;
  let probably = NO;
  let isProbable = false;
  for (let length = end() - 1; length >= units; length--) {
    for (let first = to > length ? to - length : 0; first <= min(from, end() - length); first++) {
      const last = first + length;
      let status = statusOf(first, last);
      if (status === 0 && first === from && last === end()) {
        const itself = mayBePart(first, last) ? ask(IS_ITSELF, first) : NO;
        if (itself === ASKED) return ASKED;
        if (itself === YES) status = IS_WORD;
      }
      if (status === 0) continue;
      const divided = isDivided(first, last, status);
      if (divided === ASKED) return ASKED;
      if (divided === YES) return isPartBy(first, last, status);
      if (!isProbable && isLong(first, last, status)) {
        isProbable = true;
        probably = isPartBy(first, last, status);
      }
    }
  }
  return probably;
}

/** Whether words stand around a part of the form. */
function isDivided(first: u32, last: u32, status: u32): u32 {
  if (last === end()) return status !== IS_SHORTENED && (first < LEAST_PART || areBefore(first)) ? YES : NO;
  if (first > 0 && !areBefore(first)) return NO;
  const are = areBehindLink(last);
  return are === YES && hasLongerEnd(first, last) ? NO : are;
}

/** Whether a long word and a long rest make up the form. */
function isLong(first: u32, last: u32, status: u32): bool {
  return (first === 0 || last === end()) && status !== IS_SHORTENED && last - first >= LONG_WORD &&
    end() - (last - first) >= LONG_REST;
}

/** A word with a prefix is another word, but has the same parts as without it. */
function isPartBy(first: u32, last: u32, status: u32): u32 {
  const hasPrefix = first > 0 && first < LEAST_PART && last === end();
  return status === IS_COMPOUND || (status !== IS_OTHER && !hasPrefix) ? YES : NO;
}
