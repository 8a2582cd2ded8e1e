// The documents of a level in an order, from one place to another. Slots are listed with a key of 64 bits for the first
// sort criterion. A histogram of the keys finds the range of keys at the wanted places, and only documents in it are
// sorted. Documents with equal keys are sorted the same way by the next criterion. So the time for a page hardly
// depends on its position, and no array of documents is needed per order. The first pages are found faster, value by
// value (see `listing.ts`).
//
// B_RESULT holds the result.

import { compareBytes } from '../inverted/bytes.ts';
import { C_PAGES, columnAt, IDENTITY, lengthOf, R_TEXT, recordAt } from './dictionary.ts';
import { ALL } from './facets.ts';
import { valueOf } from './forward.ts';
import { level, levelBytes } from './levels.ts';
import { boundOf, isOfValues, listSlots, MAX_WALK, NOT_WALKED, walkNumbers, walkValues } from './listing.ts';
import { isReady, orderAt } from './orders.ts';
import { countBits } from './popcount.ts';
import { sortByKey } from './quicksort.ts';
import { B_HISTOGRAM, B_KEYS, B_OUTPUT, B_RESULT, B_SCORES, B_SLOTS, buffer, reserve } from './scratch.ts';
import { live, NO_SLOT, ordOf, slotEnd, slotOf } from './slots.ts';
import { BY_TIE, describe, fillKeys, keyAt, LAST, nameOf, slotAt, sortKeyAt } from './sort-keys.ts';

/** Buckets of a histogram; and up to this many documents are sorted without one. */
const BUCKETS: u32 = 1024;
const FEW: u32 = 512;
/** Ties among up to this many documents are sorted by their texts, without an order of all names. */
const FEW_TIES: u32 = 64;

/** Sets the scores of documents from `count` x u32 ordinal and as many f64, in the same order. */
export function takeScores(ords: usize, scores: usize, count: u32): void {
  const end = slotEnd();
  const to = reserve(B_SCORES, (end << 3) + 8);
  for (let i: u32 = 0; i < end; i++) store<f64>(to + (<usize>i << 3), NaN);
  for (let i: u32 = 0; i < count; i++) {
    const slot = slotOf(load<u32>(ords + (<usize>i << 2)));
    if (slot !== NO_SLOT) store<f64>(to + (<usize>slot << 3), load<f64>(scores + (<usize>i << 3)));
  }
}

/**
 * Sorts the documents of a level, or all. `keys` is the number of keys of the order, the tie included; with `marked`,
 * only documents behind the mark count. Writes the slots from place `from` to `to`, exclusive, to B_RESULT; returns
 * their number. Bit 31 is set if the order of all names is needed and not ready. Up to `few` documents are all read.
 */
export function sortDocuments(number: u32, keys: u32, from: u32, to: u32, marked: bool, few: u32): u32 {
  const bits = number === ALL ? live() : level(number);
  const documents = countBits(bits, levelBytes());
  to = min(to, documents);
  if (from >= to) return 0;
  reserve(B_SLOTS, (levelBytes() << 5) + 8);
  reserve(B_KEYS, (levelBytes() << 6) + 8);
  reserve(B_RESULT, (to << 2) + 8);
  store<u32>(reserve(B_HISTOGRAM, BUCKETS << 2), 0);
  let count = NOT_WALKED;
  const bound = documents > few ? boundOf(bits, to, marked) : LAST;
  if (documents > few)
    count = isOfValues(keyAt(0))
      ? walkValues(bits, keys, from, to, marked, documents)
      : to > MAX_WALK
      ? NOT_WALKED
      : walkNumbers(bits, keys, to, marked, bound);
  const below = count === NOT_WALKED ? 0 : load<u32>(buffer(B_HISTOGRAM));
  if (count === NOT_WALKED) count = listSlots(bits, keys, marked, bound);
  return from - below >= count ? 0 : arrange(0, keys, 0, count, from - below, min(to - below, count), 0);
}

/**
 * Describes `count` documents from one of the result on, and sort values, in B_OUTPUT: u32 ordinal, u32 text of the
 * tie, u32 its length, u32 unused; then for each key but the tie: u32 text, 0 for none, u32 length, f64 number, NaN for
 * none.
 */
export function describeSorted(from: u32, count: u32, keys: u32): void {
  const size = 16 * keys;
  const output = reserve(B_OUTPUT, count * size);
  const identity = columnAt(IDENTITY);
  for (let i: u32 = 0; i < count; i++) {
    const slot = load<u32>(buffer(B_RESULT) + (<usize>(from + i) << 2));
    const entry = output + i * size;
    const name = recordAt(identity, valueOf(identity + C_PAGES, slot));
    store<u32>(entry, ordOf(slot));
    store<u32>(entry, load<u32>(name, R_TEXT), 4);
    store<u32>(entry, lengthOf(name), 8);
    for (let j: u32 = 0; j + 1 < keys; j++) describe(keyAt(j), slot, entry + 16 + (<usize>j << 4));
  }
}

function emit(slot: u32, count: u32): u32 {
  store<u32>(buffer(B_RESULT) + (<usize>count << 2), slot);
  return count + 1;
}

/** Of `count` documents from `first` on, appends those from place `from` to `to` in the order to the result. */
function arrange(index: u32, keys: u32, first: u32, count: u32, from: u32, to: u32, emitted: u32): u32 {
  const key = keyAt(index);
  if (load<u32>(key) === BY_TIE) {
    if (count <= FEW_TIES) {
      sortByName(first, count);
      for (let i = from; i < to; i++) emitted = emit(load<u32>(slotAt(first + i)), emitted);
      return emitted;
    }
    if (!isReady(orderAt(columnAt(IDENTITY), 0))) return emitted | 0x80000000;
  }
  fillKeys(key, first, count);
  while (count > FEW) {
    const below = narrow(first, count, from, to);
    const left = load<u32>(buffer(B_HISTOGRAM));
    from -= below;
    to -= below;
    const before = count;
    count = left;
    if (count > before - (before >> 2)) break;
  }
  if (!areEqual(first, count)) sortByKey(first, first + count);
  for (let i: u32 = 0; i < count && i < to;) {
    let end = i + 1;
    while (end < count && load<u64>(sortKeyAt(first + end)) === load<u64>(sortKeyAt(first + i))) end++;
    if (end > from) {
      const start = max(from, i);
      const stop = min(to, end);
      if (end === i + 1 || index + 1 === keys) {
        for (let j = start; j < stop; j++) emitted = emit(load<u32>(slotAt(first + j)), emitted);
      } else emitted = arrange(index + 1, keys, first + i, end - i, start - i, stop - i, emitted);
      if ((emitted & 0x80000000) !== 0) return emitted;
    }
    i = end;
  }
  return emitted;
}

function areEqual(first: u32, count: u32): bool {
  for (let i: u32 = 1; i < count; i++)
    if (load<u64>(sortKeyAt(first + i)) !== load<u64>(sortKeyAt(first))) return false;
  return true;
}

/**
 * Drops documents that are certainly before place `from`, or at place `to` or behind. Returns how many it dropped
 * before `from`; the first word of B_HISTOGRAM is the number of documents that remain.
 */
function narrow(first: u32, count: u32, from: u32, to: u32): u32 {
  const histogram = buffer(B_HISTOGRAM);
  const keys = sortKeyAt(first);
  let least = LAST;
  let greatest: u64 = 0;
  let missing: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const key = load<u64>(keys + (<usize>i << 3));
    missing += <u32>(key === LAST);
    least = min(least, key);
    greatest = max(greatest, key === LAST ? 0 : key);
  }
  const shift = missing === count || greatest === least ? 0 : max(0, <i32>(54 - clz(greatest - least)));
  memory.fill(histogram, 0, BUCKETS << 2);
  for (let i: u32 = 0; i < count; i++) {
    const place = histogram + (<usize>bucketOf(load<u64>(keys + (<usize>i << 3)), least, shift) << 2);
    store<u32>(place, load<u32>(place) + 1);
  }
  let low: u32 = 0;
  let below: u32 = 0;
  while (below + load<u32>(histogram + (<usize>low << 2)) <= from)
    below += load<u32>(histogram + (<usize>(low++) << 2));
  let high = low;
  for (let within = below + load<u32>(histogram + (<usize>low << 2)); within < to;)
    within += load<u32>(histogram + (<usize>++high << 2));
  let left: u32 = 0;
  const slots = slotAt(first);
  for (let i: u32 = 0; i < count; i++) {
    const key = load<u64>(keys + (<usize>i << 3));
    const bucket = bucketOf(key, least, shift);
    store<u64>(keys + (<usize>left << 3), key);
    store<u32>(slots + (<usize>left << 2), load<u32>(slots + (<usize>i << 2)));
    left += <u32>(bucket >= low && bucket <= high);
  }
  store<u32>(histogram, left);
  return below;
}

/** Documents without a value have the last bucket for themselves. */
function bucketOf(key: u64, least: u64, shift: i32): u32 {
  return key === LAST ? BUCKETS - 1 : min(BUCKETS - 2, <u32>((key - least) >> shift));
}

/** Sorts documents by comparing their names. */
function sortByName(first: u32, count: u32): void {
  for (let i: u32 = 1; i < count; i++) {
    const slot = load<u32>(slotAt(first + i));
    const name = nameOf(slot);
    let at = i;
    for (; at > 0; at--) {
      const other = nameOf(load<u32>(slotAt(first + at - 1)));
      if (compareBytes(load<u32>(other, R_TEXT), lengthOf(other), load<u32>(name, R_TEXT), lengthOf(name)) <= 0) break;
      store<u32>(slotAt(first + at), load<u32>(slotAt(first + at - 1)));
    }
    store<u32>(slotAt(first + at), slot);
  }
}
