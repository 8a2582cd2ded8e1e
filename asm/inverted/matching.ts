// Forms whose keys a pattern matches, or that are within an edit distance of a word.

import { characterLength, codePointAt } from './bytes.ts';
import { collectRange, formAt, hasAffix, leafCount, leafSize, output } from './dictionary.ts';
import { keyBytes, keyLength } from './forms.ts';
import { FUZZY, H_BACKWARD, H_FORWARD } from './layout.ts';
import { B_OUTPUT, buffer } from './scratch.ts';

/** In a pattern of u32 code points: any number of characters, and exactly one. */
const ANY: u32 = 0xffffffff;
const ONE: u32 = 0xfffffffe;

/**
 * Writes the forms that a pattern of `length` code points at `pattern` matches to B_OUTPUT, `limit` at most;
 * gives their number. The literal bytes that every match starts or ends with choose the range that is looked at.
 */
export function collectMatches(pattern: usize, length: u32, affix: usize, affixBytes: u32, backward: bool, limit: u32): u32 {
  const order = backward ? H_BACKWARD : H_FORWARD;
  const candidates = collectRange(order, affix, affixBytes, u32.MAX_VALUE);
  let found: u32 = 0;
  for (let i: u32 = 0; i < candidates && found < limit; i++) {
    const form = load<u32>(buffer(B_OUTPUT) + (<usize>i << 2));
    if (matches(pattern, length, keyBytes(form), keyLength(form))) output(found++, form);
  }
  return found;
}

/** Greedy matching that goes back to the last "any", which suffices for patterns without classes. */
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
    } else if (i < length && (wanted === ONE || wanted === codePointAt(at, width))) {
      i++;
      at += width;
    } else if (star !== ANY) {
      retry += characterLength(load<u8>(retry));
      at = retry;
      i = star + 1;
    } else return false;
  }
  while (i < length && load<u32>(pattern + (<usize>i << 2)) === ANY) i++;
  return i === length;
}

// ---- Fuzzy ---------------------------------------------------------------------------------
//
// The dictionary in order is a trie read depth first. One row of the Levenshtein matrix (Wagner and
// Fischer, 1974) is kept for each character of the current key, so that keys that share a prefix share
// its rows; when the least number of a row passes the bound, every key with that prefix is skipped.
//
// At FUZZY: 80 x u32 characters of the current key, 80 x u32 their ends in bytes, then rows of 64 bytes.

export const MAX_FUZZY_WORD: u32 = 60;
const ROW: usize = 64;
const PATH: usize = FUZZY;
const ENDS: usize = FUZZY + 320;
const ROWS: usize = FUZZY + 640;

/**
 * Writes the forms within `bound` <= 2 edits (insertion, deletion, substitution of a character) of a word
 * of `length` <= 60 code points to B_OUTPUT, each as (form, distance), `limit` at most; gives their number.
 */
export function collectFuzzy(word: usize, length: u32, bound: u32, limit: u32): u32 {
  assert(length <= MAX_FUZZY_WORD && bound <= 2, 'a word or a bound that is too large');
  for (let j: u32 = 0; j <= length; j++) store<u8>(ROWS + j, <u8>j);
  let depth: u32 = 0; // characters of PATH whose rows are computed
  let found: u32 = 0;
  for (let leaf: u32 = 0; leaf < leafCount(H_FORWARD); leaf++) {
    for (let index: u32 = 0; index < leafSize(H_FORWARD, leaf);) {
      const form = formAt(H_FORWARD, leaf, index);
      depth = descend(form, depth, word, length, bound);
      if (depth > 0 && rowMinimum(depth, length) > bound) {
        const place = skipPrefix(leaf, index, form, load<u32>(ENDS + (<usize>(depth - 1) << 2)));
        leaf = <u32>(place >> 32);
        index = <u32>place;
        if (leaf === leafCount(H_FORWARD)) return found;
        continue;
      }
      const distance = <u32>load<u8>(ROWS + <usize>depth * ROW + length);
      if (distance <= bound) {
        if (found === limit) return found;
        output(found * 2, form);
        output(found * 2 + 1, distance);
        found++;
      }
      index++;
    }
  }
  return found;
}

/**
 * Computes the rows for the characters of a key that the former key of `depth` rows doesn't share; gives
 * the new depth: the key's length, or that of the first prefix that is beyond the bound.
 */
function descend(form: u32, depth: u32, word: usize, length: u32, bound: u32): u32 {
  let at = keyBytes(form);
  const start = at;
  const end = at + keyLength(form);
  let i: u32 = 0;
  let shared = true;
  while (at < end) {
    const width = characterLength(load<u8>(at));
    const character = codePointAt(at, width);
    shared = shared && i < depth && load<u32>(PATH + (<usize>i << 2)) === character;
    at += width;
    if (!shared) {
      store<u32>(PATH + (<usize>i << 2), character);
      store<u32>(ENDS + (<usize>i << 2), <u32>(at - start));
      computeRow(i + 1, character, word, length);
    }
    i++;
    if (!shared && rowMinimum(i, length) > bound) break;
  }
  return i;
}

function computeRow(depth: u32, character: u32, word: usize, length: u32): void {
  const above = ROWS + <usize>(depth - 1) * ROW;
  const row = above + ROW;
  let left = depth;
  store<u8>(row, <u8>depth);
  for (let j: usize = 0; j < <usize>length; j++) {
    const substituted = <u32>load<u8>(above + j) + <u32>(load<u32>(word + (j << 2)) !== character);
    left = min(substituted, min(left, <u32>load<u8>(above + j, 1)) + 1);
    store<u8>(row + j, <u8>left, 1);
  }
}

function rowMinimum(depth: u32, length: u32): u32 {
  const row = ROWS + <usize>depth * ROW;
  let least: u32 = 255;
  for (let j: usize = 0; j <= <usize>length; j++) least = min(least, <u32>load<u8>(row + j));
  return least;
}

/** Place of the first form, behind the given one, whose key lacks its first `bytes` bytes. */
function skipPrefix(leaf: u32, index: u32, form: u32, bytes: u32): u64 {
  const prefix = keyBytes(form);
  let low = leaf;
  let high = leafCount(H_FORWARD);
  // The last leaf whose first key has the prefix; the one at hand holds the form, so counts as such.
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (hasAffix(H_FORWARD, formAt(H_FORWARD, middle, 0), prefix, bytes)) low = middle;
    else high = middle;
  }
  let first = low === leaf ? index + 1 : 1;
  let last = leafSize(H_FORWARD, low);
  while (first < last) {
    const middle = (first + last) >> 1;
    if (hasAffix(H_FORWARD, formAt(H_FORWARD, low, middle), prefix, bytes)) first = middle + 1;
    else last = middle;
  }
  return first === leafSize(H_FORWARD, low) ? <u64>(low + 1) << 32 : (<u64>low << 32) | first;
}
