// Bitmaps by ordinal, which the caller passes, and by document, which selecting needs.
//
// Where documents came in the order of their ordinals, 64 consecutive documents are whole words of both bitmaps, shifted: such a run is
// in step. B_IN_STEP has the first ordinal of each such run, u32, and NOT_IN_STEP for others: reading it from the ordinals themselves would
// touch a cache line for each run. It is valid until documents are added or get other numbers.
//
// B_DOC_FILTERS has filters by document, in slots of `filterBytes`; the host assigns the slots.

import { H_DOC_OF_CAPACITY, H_DOCS, H_LEVEL_CAPACITY, H_ORDINALS } from './layout.ts';
import { setBit } from './levels.ts';
import { B_DOC_FILTERS, B_DOC_MATCHES, B_FILTER, B_IN_STEP, B_MATCHES, buffer, reserve } from './scratch.ts';

/** Documents of a run. */
const RUN: u32 = 64;
/** No ordinal. */
const NOT_IN_STEP: u32 = 0xffffffff;

/** Notes which runs are in step. Call it before any filter is translated after documents were added or renumbered. */
export function noteSteps(): void {
  const runs = load<u32>(H_DOCS) / RUN;
  const steps = reserve(B_IN_STEP, (runs + 1) << 2);
  for (let run: u32 = 0; run < runs; run++) store<u32>(steps + (<usize>run << 2), isInStep(run * RUN) ? load<u32>(ordinalsFrom(run * RUN)) : NOT_IN_STEP);
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
  return buffer(B_DOC_FILTERS) + <usize>slot * filterBytes();
}

/** Translates B_FILTER, a bit for each of `size` ordinals (a multiple of 32), into a slot. Returns how many documents pass, dead ones included. */
export function translateFilter(slot: u32, size: u32): u32 {
  reserve(B_DOC_FILTERS, (slot + 1) * filterBytes());
  // Words that are read across the end must be zero there.
  const filter = reserve(B_FILTER, (size >> 3) + 16);
  memory.fill(filter + (size >> 3), 0, 16);
  const target = filterAt(slot);
  const docs = load<u32>(H_DOCS);
  let count: u64 = 0;
  for (let doc: u32 = 0; doc < docs; doc += RUN) {
    const first = firstInStep(doc, docs);
    const word = first !== NOT_IN_STEP ? bitsFrom(filter, size, first) : gatherBits(filter, size, doc, min(doc + RUN, docs));
    store<u64>(target + (doc >> 3), word);
    count += popcnt(word);
  }
  return <u32>count;
}

/** The ordinal of the first document of a run that is in step, or NOT_IN_STEP. */
function firstInStep(doc: u32, docs: u32): u32 {
  return doc + RUN <= docs ? load<u32>(buffer(B_IN_STEP) + (<usize>(doc / RUN) << 2)) : NOT_IN_STEP;
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
    if (ordinal < size) word |= <u64>((load<u32>(bits + (<usize>(ordinal >> 5) << 2)) >> (ordinal & 31)) & 1) << <u64>(doc - from);
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
  const docs = load<u32>(H_DOCS);
  for (let doc: u32 = 0; doc < docs; doc += RUN) {
    const word = load<u64>(matches + (doc >> 3));
    if (word === 0) continue;
    const first = firstInStep(doc, docs);
    if (first !== NOT_IN_STEP) addBits(target, first, word);
    else for (let left = word; left !== 0; left &= left - 1) setBit(target, load<u32>(ordinalsFrom(doc + <u32>ctz(left))));
  }
}

function addBits(bits: usize, from: u32, word: u64): void {
  const at = bits + (<usize>(from >> 6) << 3);
  const shift = <u64>(from & 63);
  store<u64>(at, load<u64>(at) | (word << shift));
  if (shift !== 0) store<u64>(at, load<u64>(at, 8) | (word >> (64 - shift)), 8);
}
