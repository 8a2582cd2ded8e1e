// Forms within an edit distance of a word (insertion, deletion, substitution of a character, swap of neighbours; no
// character is edited twice: optimal string alignment).
//
// An order of the dictionary is a trie read depth first. For each character of the current key there is a state of the
// Levenshtein automaton of the word: for each number of errors, a bit for each prefix of the word that may have been
// read with that many errors (Wu and Manber, "Fast text searching allowing errors", 1992; swaps: Hyyrö, "A bit-vector
// algorithm for computing Levenshtein and Damerau edit distances", 2003). Keys that share a prefix share states, and
// when a state is empty, every key with that prefix is skipped.
//
// The first letters are the expensive ones, because errors there leave all of the dictionary open. So the word is split
// in two (Mihov and Schulz, "Fast approximate search in large dictionaries", 2004): with k errors in all, either the
// first part has fewer than k, or the second has none. The first case is searched in the order of keys, the second in
// the order of keys read backward. A character between the parts belongs to neither, because two neighbours that are
// swapped would otherwise belong to both; a swap counts where it begins.
//
// At FUZZY: 128 x u64, for each ASCII character a bit for each of the word's characters that equals it; by depth, 80 of
// each: u32 character of the current key, u32 bytes up to its end, 3 x u64 state.

import { characterLength, codePointAt, putCodePoint } from './bytes.ts';
import { endOfAffix, formAt, leafCount, leafSize, output, seekKey } from './dictionary.ts';
import { FORM_BUFFER, FUZZY, H_BACKWARD, H_FORWARD } from './layout.ts';
import { keyBytes, keyLength } from './records.ts';

export const MAX_FUZZY_WORD: u32 = 60;
const MASKS: usize = FUZZY;
const PATH: usize = FUZZY + 1024;
const ENDS: usize = PATH + 320;
const STATES: usize = ENDS + 320;
const STATE: usize = 24;

/**
 * Writes the forms within `bound` edits, 1 or 2, of a word of `length` <= 60 code points to B_OUTPUT, each as (form,
 * distance), at most `limit`; returns their number. Only forms count that need at most `free` < `bound` edits in the
 * first `part` characters; the distance counts such edits only. `backward`: the word and the keys are read from their
 * ends. `begins`: forms count that begin with something so near; the distance is that of the nearest beginning.
 */
export function collectFuzzy(word: usize, length: u32, bound: u32, part: u32, free: u32, backward: bool, begins: bool,
  limit: u32): u32
{
  assert(length <= MAX_FUZZY_WORD && bound <= 2 && free < bound && part <= length,
    'a word or a bound that is too large');
  const order = backward ? H_BACKWARD : H_FORWARD;
  const anywhere = ~(<u64>0);
  const behind = anywhere << part;
  const once: u64 = free > 0 ? anywhere : behind;
  const twice: u64 = bound > 1 ? behind : 0;
  begin(word, length, once, twice);
  const read = begins ? <u64>1 << length : 0;
  const start: u64 = free > 0 ? 0 : seekPart(order, word, part, backward);
  let leaf = <u32>(start >> 32);
  let index = <u32>start;
  let depth: u32 = 0; // characters of PATH whose states are computed
  let found: u32 = 0;
  while (leaf < leafCount(order)) {
    const form = formAt(order, leaf, index);
    depth = descend(form, depth, word, length, once, twice, read, backward);
    if (isEmpty(depth)) {
      const bytes = load<u32>(ENDS + (<usize>(depth - 1) << 2));
      // Keys that begin without an error are consecutive.
      if (free === 0 && depth <= part) return found;
      const place = endOfAffix(order, leaf, index, bytes);
      leaf = <u32>(place >> 32);
      index = <u32>place;
      continue;
    }
    const distance = distanceAt(depth, length);
    if (distance <= bound) {
      if (found === limit) return found;
      output(found * 2, form);
      output(found * 2 + 1, distance);
      found++;
    }
    if (++index === leafSize(order, leaf)) {
      leaf++;
      index = 0;
    }
  }
  return found;
}

function begin(word: usize, length: u32, once: u64, twice: u64): void {
  memory.fill(MASKS, 0, 1024);
  for (let i: u32 = 0; i < length; i++) {
    const character = load<u32>(word + (<usize>i << 2));
    if (character < 128)
      store<u64>(MASKS + (<usize>character << 3), load<u64>(MASKS + (<usize>character << 3)) | (<u64>1 << i));
  }
  store<u64>(STATES, 1);
  store<u64>(STATES, (1 & once) << 1, 8);
  store<u64>(STATES, (((1 & once) << 1) & twice) << 1, 16);
}

/** Place of the first key that begins (or, backward, ends) with the first `part` characters of the word. */
function seekPart(order: usize, word: usize, part: u32, backward: bool): u64 {
  let to = FORM_BUFFER;
  for (let i: u32 = 0; i < part; i++)
    to = putCodePoint(to, load<u32>(word + (<usize>(backward ? part - 1 - i : i) << 2)));
  return seekKey(order, FORM_BUFFER, <u32>(to - FORM_BUFFER));
}

/**
 * Computes the states for the characters of a key that the previous key of `depth` states does not share. Returns the
 * new depth: the key's length, or the length of the first prefix whose state is empty.
 */
function descend(form: u32, depth: u32, word: usize, length: u32, once: u64, twice: u64, whole: u64,
  backward: bool): u32
{
  const key = keyBytes(form);
  const bytes = keyLength(form);
  let read: u32 = 0;
  let i: u32 = 0;
  let shared = true;
  while (read < bytes) {
    const at = backward ? startOfLast(key + bytes - read) : key + read;
    const width = characterLength(load<u8>(at));
    const character = codePointAt(at, width);
    read += width;
    shared = shared && i < depth && load<u32>(PATH + (<usize>i << 2)) === character;
    if (!shared) {
      store<u32>(PATH + (<usize>i << 2), character);
      store<u32>(ENDS + (<usize>i << 2), read);
      advance(i, bitsOf(character, word, length), beforeAt(i, word, length), length, once, twice, whole);
    }
    i++;
    if (!shared && isEmpty(i)) break;
  }
  return i;
}

function startOfLast(end: usize): usize {
  do end--; while ((load<u8>(end) & 0xc0) === 0x80);
  return end;
}

/** A bit for each character of the word that equals the one of the key before a depth. */
function beforeAt(depth: u32, word: usize, length: u32): u64 {
  return depth === 0 ? 0 : bitsOf(load<u32>(PATH + (<usize>(depth - 1) << 2)), word, length);
}

/** A bit for each character of the word that equals the given one. */
function bitsOf(character: u32, word: usize, length: u32): u64 {
  if (character < 128) return load<u64>(MASKS + (<usize>character << 3));
  let bits: u64 = 0;
  for (let i: u32 = 0; i < length; i++) if (load<u32>(word + (<usize>i << 2)) === character) bits |= <u64>1 << i;
  return bits;
}

/**
 * From the state of a depth to the next. A first error may be in front of the characters of `once`, a second in front
 * of those of `twice`. `bits` and `before` are those of the key's character and of the one before it. `whole`: the bit
 * of the whole word if anything may follow it, else 0.
 */
function advance(depth: u32, bits: u64, before: u64, length: u32, once: u64, twice: u64, whole: u64): void {
  const from = STATES + <usize>depth * STATE;
  const all = ~(<u64>0) >> (63 - length);
  const none = load<u64>(from);
  const one = load<u64>(from, 8);
  const two = load<u64>(from, 16);
  // From the state with one error less: the key's character is inserted, or replaces one of the word, or one of the
  // word is left out. From the depth before with one error less: two characters are swapped.
  const exact = ((none & bits) << 1) | (none & whole);
  const first = none & once;
  const swapped = depth === 0 ? 0 : ((load<u64>(from - STATE) & once & bits) << 1) & before;
  const single = ((one & bits) << 1) | (one & whole) | first | (first << 1) | ((exact & once) << 1) | (swapped << 1);
  const second = one & twice;
  const swappedAgain = depth === 0 ? 0 : ((load<u64>(from - STATE, 8) & twice & bits) << 1) & before;
  const double = ((two & bits) << 1) | (two & whole) | second | (second << 1) | ((single & twice) << 1) |
    (swappedAgain << 1);
  store<u64>(from + STATE, exact & all);
  store<u64>(from + STATE, single & all, 8);
  store<u64>(from + STATE, double & all, 16);
}

function isEmpty(depth: u32): bool {
  const state = STATES + <usize>depth * STATE;
  return (load<u64>(state) | load<u64>(state, 8) | load<u64>(state, 16)) === 0;
}

/** Least number of errors with which all of the word was read; 3 if it was not. */
function distanceAt(depth: u32, length: u32): u32 {
  const state = STATES + <usize>depth * STATE;
  const whole = <u64>1 << length;
  if ((load<u64>(state) & whole) !== 0) return 0;
  if ((load<u64>(state, 8) & whole) !== 0) return 1;
  return (load<u64>(state, 16) & whole) !== 0 ? 2 : 3;
}
