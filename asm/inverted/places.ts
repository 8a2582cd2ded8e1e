// A cache of the places of words in documents that reranking has read: reading one from postings takes decoding a block
// of 128 documents.
//
// The place of a word in a document does not change while the document has its number. So only compaction forgets
// places; places of deleted documents are never looked up. Entries are in a ring; a new entry overwrites the oldest:
//
// 0 hash of the word's forms (u64) 8 document 12 positions 16 positions, u32 each: field << 25 | position << 1 | exact
// form?
//
// A table of sets of four has the offset of each entry, counted as if the ring were one long tape; 0 for none.

import { H_PLACES } from './layout.ts';
import { GOLDEN, mix } from './mixing.ts';
import { B_PLACE_RING, B_PLACE_TABLE, buffer, reserve, reserveUncleared, shrink } from './scratch.ts';

// At H_PLACES: bytes of the ring (a power of two), and the end of the tape.
const BYTES: usize = 0;
const END: usize = 4;

const HEAD: u32 = 16;
/** Bytes of the ring per set of the table, and bytes of a set. */
const BYTES_PER_SET: u32 = 256;
const SET: u32 = 16;
const LEAST_RING: u32 = 1 << 16;
/** An entry is read four positions at a time. */
const REST: u32 = 16;
/** Entries with more positions are not kept, nor are fields and positions above these. */
const MOST_POSITIONS: u32 = 4096;
const FIELD_SHIFT: u32 = 25;
const MAX_FIELD: u64 = 127;
const MAX_POSITION: u64 = 0xffffff;

/**
 * Sets the size of the ring, the largest power of two up to `most` bytes; if the size changes, the ring becomes empty.
 */
export function openPlaces(most: u32): void {
  let bytes: u32 = 0;
  if (most >= LEAST_RING) { for (bytes = LEAST_RING; bytes <= most >> 1;) bytes <<= 1; }
  if (bytes === load<u32>(H_PLACES, BYTES)) return;
  shrink(B_PLACE_RING, 0);
  shrink(B_PLACE_TABLE, 0);
  store<u32>(H_PLACES, bytes, BYTES);
  if (bytes === 0) return;
  reserveUncleared(B_PLACE_RING, bytes + REST);
  reserve(B_PLACE_TABLE, tableBytes());
  emptyRing();
}

/** Forgets all, because documents get other numbers. */
export function forgetPlaces(): void {
  if (load<u32>(H_PLACES, BYTES) === 0) return;
  memory.fill(buffer(B_PLACE_TABLE), 0, tableBytes());
  emptyRing();
}

/** An offset of 0 means none. */
function emptyRing(): void {
  store<u32>(H_PLACES, HEAD, END);
}

function tableBytes(): u32 {
  return load<u32>(H_PLACES, BYTES) / BYTES_PER_SET * SET;
}

/**
 * The key of a word of `count` forms (u32 each; their order matters). Two words have the same key with a probability of
 * 2^-64.
 */
export function hashOfWord(forms: usize, count: u32): u64 {
  let hash: u64 = GOLDEN ^ <u64>count;
  for (let at = forms; at < forms + (<usize>count << 2); at += 4) hash = mix(hash ^ <u64>load<u32>(at)) + GOLDEN;
  return mix(hash);
}

function setOf(word: u64, doc: u32): usize {
  const hash = <u32>(word >> 32) ^ (doc * 0x9e3779b1);
  return buffer(B_PLACE_TABLE) +
    <usize>(((hash ^ (hash >> 15)) & (load<u32>(H_PLACES, BYTES) / BYTES_PER_SET - 1)) * SET);
}

/** The entry of a word in a document; 0 if it is not in the cache. */
export function findPlace(word: u64, doc: u32): usize {
  const bytes = load<u32>(H_PLACES, BYTES);
  if (bytes === 0) return 0;
  const set = setOf(word, doc);
  for (let at = set; at < set + SET; at += 4) {
    const distance = load<u32>(at);
    if (distance === 0 || load<u32>(H_PLACES, END) - distance > bytes) continue;
    const entry = buffer(B_PLACE_RING) + (distance & (bytes - 1));
    if (load<u64>(entry) === word && load<u32>(entry, 8) === doc) return entry;
  }
  return 0;
}

export function positionsAt(entry: usize): u32 {
  return load<u32>(entry, 12);
}

/** Writes the positions of an entry as numbers of `gathering.ts`; up to three more numbers are written behind them. */
export function readPlace(entry: usize, to: usize): void {
  const low = i64x2.splat((1 << FIELD_SHIFT) - 1);
  let from = entry + HEAD;
  for (const end = to + (<usize>positionsAt(entry) << 3); to < end; to += 32) {
    const four = v128.load(from);
    const a = i64x2.extend_low_i32x4_u(four);
    const b = i64x2.extend_high_i32x4_u(four);
    v128.store(to, v128.or(i64x2.shl(i64x2.shr_u(a, FIELD_SHIFT), 33), v128.and(a, low)));
    v128.store(to, v128.or(i64x2.shl(i64x2.shr_u(b, FIELD_SHIFT), 33), v128.and(b, low)), 16);
    from += 16;
  }
}

/** Stores the places of a word in a document: `count` numbers of `gathering.ts`. */
export function keepPlace(word: u64, doc: u32, numbers: usize, count: u32): void {
  const bytes = load<u32>(H_PLACES, BYTES);
  if (bytes === 0 || count > MOST_POSITIONS || !hasNumbers(numbers, count) || !isLetIn(word, doc)) return;
  const size = (HEAD + (count << 2) + 15) & ~15;
  let distance = load<u32>(H_PLACES, END);
  // An entry must not wrap around.
  if ((distance & (bytes - 1)) + size > bytes) distance = (distance | (bytes - 1)) + 1;
  if (distance > 0xfffffff0 - bytes) {
    forgetPlaces();
    distance = HEAD;
  }
  const entry = buffer(B_PLACE_RING) + (distance & (bytes - 1));
  store<u64>(entry, word);
  store<u32>(entry, doc, 8);
  store<u32>(entry, count, 12);
  for (let i: usize = 0; i < <usize>count; i++) {
    const number = load<u64>(numbers + (i << 3));
    store<u32>(entry + HEAD + (i << 2), (<u32>(number >> 33) << FIELD_SHIFT) | <u32>number);
  }
  enter(setOf(word, doc), distance);
  store<u32>(H_PLACES, distance + size, END);
}

/**
 * If others would be overwritten, every other entry is admitted, at random: otherwise, queries that alternate between
 * more places than fit would find none of them.
 */
function isLetIn(word: u64, doc: u32): bool {
  const end = load<u32>(H_PLACES, END);
  return end < load<u32>(H_PLACES, BYTES) || ((mix(word ^ (<u64>doc << 32) ^ <u64>end) >> 7) & 1) === 0;
}

/** Overwrites the oldest entry of a set. */
function enter(set: usize, distance: u32): void {
  let oldest = set;
  for (let at = set + 4; at < set + SET; at += 4) if (load<u32>(at) < load<u32>(oldest)) oldest = at;
  store<u32>(oldest, distance);
}

/** Whether all positions can be stored here. */
function hasNumbers(numbers: usize, count: u32): bool {
  for (const end = numbers + (<usize>count << 3); numbers < end; numbers += 8) {
    const number = load<u64>(numbers);
    if (number >> 33 > MAX_FIELD || (number & 0x1ffffffff) >> 1 > MAX_POSITION) return false;
  }
  return true;
}
