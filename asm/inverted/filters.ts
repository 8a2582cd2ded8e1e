// Bitmaps by ordinal, which the caller passes, and by document, which selecting needs.
//
// Where documents came in the order of their ordinals, 64 consecutive documents are whole words of both bitmaps,
// shifted: such documents are in step, and often nearly all are, with one shift. B_IN_STEP has u32 the number of the
// stretches of them, then each stretch, ascending:
//
// 0 first document, a multiple of 64 4 its ordinal 8 documents, a multiple of 64; the ordinals of all follow each other
//
// It is valid until documents are added or get other numbers.
//
// Filters by document are in slots of `filterBytes`, which the host assigns. B_DOC_FILTERS has u32 the bytes of a slot,
// then the address of each group of slots, or 0. All slots in one buffer would be copied whenever it grows, which
// blocked searches for tens of milliseconds.

import { H_DOC_OF_CAPACITY, H_DOCS, H_LEVEL_CAPACITY, H_ORDINALS, PAGE_SCRATCH } from './layout.ts';
import { setBit } from './levels.ts';
import { allocatePages, pagesFor, releasePages } from './memory.ts';
import { B_DOC_FILTERS, B_DOC_MATCHES, B_FILTER, B_IN_STEP, B_MATCHES, buffer, reserve, roomOf } from './scratch.ts';

/** Documents of a run. */
const RUN: u32 = 64;
const FIRST_STRETCH: usize = 4;
const STRETCH: usize = 12;
const FIRST_GROUP: usize = 4;
/** Slots of a group. */
const SLOTS: u32 = 16;

/**
 * Notes which documents are in step. Call it before any filter is translated after documents were added or renumbered.
 */
export function noteSteps(): void {
  const runs = load<u32>(H_DOCS) / RUN;
  const steps = reserve(B_IN_STEP, <u32>FIRST_STRETCH + runs * <u32>STRETCH);
  let stretch = steps + FIRST_STRETCH - STRETCH;
  let expected = u32.MAX_VALUE;
  for (let doc: u32 = 0; doc < runs * RUN; doc += RUN) {
    if (!isInStep(doc)) {
      expected = u32.MAX_VALUE;
      continue;
    }
    const ordinal = load<u32>(ordinalsFrom(doc));
    if (ordinal !== expected) {
      stretch += STRETCH;
      store<u32>(stretch, doc);
      store<u32>(stretch, ordinal, 4);
      store<u32>(stretch, 0, 8);
    }
    store<u32>(stretch, load<u32>(stretch, 8) + RUN, 8);
    expected = ordinal + RUN;
  }
  store<u32>(steps, <u32>((stretch + STRETCH - steps - FIRST_STRETCH) / STRETCH));
}

function firstStretch(): usize {
  return buffer(B_IN_STEP) + FIRST_STRETCH;
}

function endOfStretches(): usize {
  return firstStretch() + <usize>load<u32>(buffer(B_IN_STEP)) * STRETCH;
}

function isInStep(doc: u32): bool {
  const ordinals = ordinalsFrom(doc);
  let expected = i32x4.add(i32x4.splat(load<i32>(ordinals)), i32x4(0, 1, 2, 3));
  const four = i32x4.splat(4);
  let differ = i32x4.splat(0);
  for (let at: usize = 0; at < <usize>RUN << 2; at += 16) {
    differ = v128.or(differ, v128.xor(v128.load(ordinals + at), expected));
    expected = i32x4.add(expected, four);
  }
  return !v128.any_true(differ);
}

function ordinalsFrom(doc: u32): usize {
  return <usize>load<u32>(H_ORDINALS) + (<usize>doc << 2);
}

/** Bytes of a filter by document: as many as of a level's bitmap, which `prepareLevels` has made large enough. */
export function filterBytes(): u32 {
  return load<u32>(H_LEVEL_CAPACITY) >> 3;
}

export function filterAt(slot: u32): usize {
  return <usize>load<u32>(groupOf(slot)) + <usize>(slot % SLOTS) * filterBytes();
}

function groupOf(slot: u32): usize {
  return buffer(B_DOC_FILTERS) + FIRST_GROUP + (<usize>(slot / SLOTS) << 2);
}

/** A slot with any content. */
function makeSlot(slot: u32): usize {
  const groups = reserve(B_DOC_FILTERS, <u32>FIRST_GROUP + (slot / SLOTS + 1) * 4);
  if (load<u32>(groups) !== filterBytes()) releaseSlots();
  const group = groupOf(slot);
  if (load<u32>(group) === 0) store<u32>(group, <u32>allocatePages(pagesFor(SLOTS * filterBytes()), PAGE_SCRATCH));
  return filterAt(slot);
}

/** Frees all slots, because filters have another size now. */
function releaseSlots(): void {
  const groups = buffer(B_DOC_FILTERS);
  const pages = pagesFor(SLOTS * load<u32>(groups));
  const end = groups + roomOf(B_DOC_FILTERS);
  for (let group = groups + FIRST_GROUP; group < end; group += 4) {
    if (load<u32>(group) === 0) continue;
    releasePages(load<u32>(group), pages);
    store<u32>(group, 0);
  }
  store<u32>(groups, filterBytes());
}

/**
 * Translates B_FILTER, a bit for each of `size` ordinals (a multiple of 32), into a slot. Returns how many documents
 * pass, dead ones included.
 */
export function translateFilter(slot: u32, size: u32): u32 {
  const target = makeSlot(slot);
  // Words that are read across the end must be zero there.
  const filter = reserve(B_FILTER, (size >> 3) + 16);
  memory.fill(filter + (size >> 3), 0, 16);
  let count: u64 = 0;
  let doc: u32 = 0;
  for (let stretch = firstStretch(); stretch < endOfStretches(); stretch += STRETCH) {
    count += gatherRuns(target, filter, size, doc, load<u32>(stretch));
    doc = load<u32>(stretch);
    let ordinal = load<u32>(stretch, 4);
    for (const end = doc + load<u32>(stretch, 8); doc < end; doc += RUN, ordinal += RUN) {
      const word = bitsFrom(filter, size, ordinal);
      store<u64>(target + (doc >> 3), word);
      count += popcnt(word);
    }
  }
  return <u32>(count + gatherRuns(target, filter, size, doc, load<u32>(H_DOCS)));
}

/** Translates the runs between two documents that are not in step. Returns how many documents pass. */
function gatherRuns(target: usize, filter: usize, size: u32, from: u32, to: u32): u64 {
  let count: u64 = 0;
  for (let doc = from; doc < to; doc += RUN) {
    const word = gatherBits(filter, size, doc, min(doc + RUN, to));
    store<u64>(target + (doc >> 3), word);
    count += popcnt(word);
  }
  return count;
}

/** 64 bits from any bit on; bits behind the end are 0. */
function bitsFrom(bits: usize, size: u32, from: u32): u64 {
  if (from >= size) return 0;
  const word = bits + (<usize>(from >> 6) << 3);
  const shift = <u64>(from & 63);
  const low = load<u64>(word) >> shift;
  return shift === 0 ? low : low | (load<u64>(word, 8) << (64 - shift));
}

function gatherBits(bits: usize, size: u32, from: u32, end: u32): u64 {
  let word: u64 = 0;
  for (let doc = from; doc < end; doc++) {
    const ordinal = load<u32>(ordinalsFrom(doc));
    if (ordinal < size)
      word |= <u64>((load<u32>(bits + (<usize>(ordinal >> 5) << 2)) >> (ordinal & 31)) & 1) << <u64>(doc - from);
  }
  return word;
}

/** An empty B_DOC_MATCHES for the documents that match. */
export function emptyMatches(): usize {
  const matches = reserve(B_DOC_MATCHES, filterBytes());
  memory.fill(matches, 0, filterBytes());
  return matches;
}

/** Makes B_MATCHES, which has a bit for each ordinal up to the capacity, from B_DOC_MATCHES. */
export function matchesByOrdinal(): void {
  const matches = buffer(B_DOC_MATCHES);
  const bytes = ((load<u32>(H_DOC_OF_CAPACITY) + 63) >> 6 << 3) + 8;
  const target = reserve(B_MATCHES, bytes);
  memory.fill(target, 0, bytes);
  let doc: u32 = 0;
  for (let stretch = firstStretch(); stretch < endOfStretches(); stretch += STRETCH) {
    scatterRuns(target, matches, doc, load<u32>(stretch));
    doc = load<u32>(stretch);
    addWords(target, load<u32>(stretch, 4), matches + (doc >> 3), load<u32>(stretch, 8) / RUN);
    doc += load<u32>(stretch, 8);
  }
  scatterRuns(target, matches, doc, load<u32>(H_DOCS));
}

/** Adds the matches between two documents that are not in step, one by one. */
function scatterRuns(target: usize, matches: usize, from: u32, to: u32): void {
  for (let doc = from; doc < to; doc += RUN) {
    for (let left = load<u64>(matches + (doc >> 3)); left !== 0; left &= left - 1)
      setBit(target, load<u32>(ordinalsFrom(doc + <u32>ctz(left))));
  }
}

/**
 * Adds `count` words to a bitmap from any bit on, two at a time: a word of it gets the end of one word and the
 * beginning of the next.
 */
function addWords(bits: usize, from: u32, words: usize, count: u32): void {
  const at = bits + (<usize>(from >> 6) << 3);
  const shift = <i32>(from & 63);
  addWord(at, load<u64>(words) << <u64>shift);
  let i: usize = 8;
  const end = <usize>count << 3;
  for (; i + 16 <= end; i += 16) {
    const here = i64x2.shl(v128.load(words + i), shift);
    // A shift by 64 leaves the bits as they are, so those of the former word are shifted twice.
    const former = i64x2.shr_u(i64x2.shr_u(v128.load(words + i - 8), 63 - shift), 1);
    v128.store(at + i, v128.or(v128.load(at + i), v128.or(here, former)));
  }
  for (; i < end; i += 8)
    addWord(at + i, (load<u64>(words + i) << <u64>shift) | (load<u64>(words + i - 8) >> <u64>(63 - shift) >> 1));
  if (shift !== 0) addWord(at + end, load<u64>(words + end - 8) >> <u64>(64 - shift));
}

function addWord(at: usize, word: u64): void {
  store<u64>(at, load<u64>(at) | word);
}
