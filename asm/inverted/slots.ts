// Slots: bytes by document in B_TALLIES, in which the forms of a word are noted (see `tallies.ts` and `phrase-words.ts`). They are all zero
// between queries. Documents are processed 64 at a time; those behind the last one have zeros, and the grade of dead ones.

import { isDead } from './documents.ts';
import { gradeDocuments } from './grades.ts';
import { DERIVED, H_DEAD_DOCS, H_DOCS, H_LEVEL_CAPACITY, H_REMAP } from './layout.ts';
import { R_DOCUMENTS, R_FIELDS, recordOf } from './records.ts';
import { B_GRADES, B_TALLIES, buffer, reserve } from './scratch.ts';

export const MAX_SLOTS: u32 = 8;

/** Address of an empty slot that may not exist yet. */
export function makeSlot(slot: u32): usize {
  assert(slot < MAX_SLOTS, 'no such slot');
  gradeDocuments();
  reserve(B_TALLIES, (slot + 1) * load<u32>(H_LEVEL_CAPACITY));
  return slotAt(slot);
}

export function slotAt(slot: u32): usize {
  return buffer(B_TALLIES) + <usize>slot * load<u32>(H_LEVEL_CAPACITY);
}

/** Clears the first `count` slots. */
export function clearSlots(count: u32): void {
  for (let slot: u32 = 0; slot < count; slot++) memory.fill(slotAt(slot), 0, endOfSlots());
}

export function endOfSlots(): usize {
  return load<u32>(H_DOCS);
}

/** Moves the form with the most postings to the front: the first one finds the slot empty, which makes it the fastest per posting. */
export function mostFirst(forms: usize, count: u32): void {
  const first = load<u32>(forms);
  let most = forms;
  for (let at = forms + 4; at < forms + (<usize>count << 2); at += 4) {
    if (load<u32>(recordOf(load<u32>(at)), R_DOCUMENTS) > load<u32>(recordOf(load<u32>(most)), R_DOCUMENTS)) most = at;
  }
  store<u32>(forms, load<u32>(most));
  store<u32>(most, first);
}

/** Whether every posting of the forms is of a live document and in a field that counts. */
export function areCounted(forms: usize, count: u32): bool {
  if (mayHaveDead()) return false;
  for (let at = forms; at < forms + (<usize>count << 2); at += 4) if ((load<u8>(recordOf(load<u32>(at)), R_FIELDS) & DERIVED) !== 0) return false;
  return true;
}

/** Whether a slot may have a document between the first and the last document of a block. */
export function hasAny(bytes: usize, block: usize): bool {
  const end = bytes + <usize>load<u32>(block);
  for (let at = bytes + <usize>load<u32>(block, 4); at <= end; at += 16) if (v128.any_true(v128.load(at))) return true;
  return false;
}

/** Number of live documents of a slot. */
export function countSlot(bytes: usize): u32 {
  const grades = buffer(B_GRADES);
  const end = endOfSlots();
  const zero = i64x2.splat(0);
  let count: u32 = 0;
  for (let doc: usize = 0; doc < end;) {
    // A comparison is -1 where it holds, so each byte can count up to 255 matches.
    let counts = zero;
    for (const stop = min<usize>(doc + 16 * 252, end); doc < stop; doc += 64) {
      counts = i8x16.sub(counts, alive(v128.load(bytes + doc), grades + doc));
      counts = i8x16.sub(counts, alive(v128.load(bytes + doc, 16), grades + doc + 16));
      counts = i8x16.sub(counts, alive(v128.load(bytes + doc, 32), grades + doc + 32));
      counts = i8x16.sub(counts, alive(v128.load(bytes + doc, 48), grades + doc + 48));
    }
    const sums = i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(counts));
    count += <u32>(i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1) + i32x4.extract_lane(sums, 2) + i32x4.extract_lane(sums, 3));
  }
  return count;
}

/** Of 16 documents, those whose byte is not zero and that are not dead. */
function alive(bytes: v128, grade: usize): v128 {
  const zero = i64x2.splat(0);
  return v128.andnot(i8x16.ne(bytes, zero), i8x16.lt_s(v128.load(grade), zero));
}

/** Writes a bitmap of the documents that are alive and are in the first `count` slots. Without branches: matches are too rare and too frequent to predict. */
export function matchSlots(count: u32, bits: usize): void {
  const zero = i64x2.splat(0);
  const first = slotAt(0);
  const second = slotAt(count > 1 ? 1 : 0);
  const end = endOfSlots();
  for (let doc: usize = 0; doc < end; doc += 64) {
    let least0 = i8x16.min_u(v128.load(first + doc), v128.load(second + doc));
    let least1 = i8x16.min_u(v128.load(first + doc, 16), v128.load(second + doc, 16));
    let least2 = i8x16.min_u(v128.load(first + doc, 32), v128.load(second + doc, 32));
    let least3 = i8x16.min_u(v128.load(first + doc, 48), v128.load(second + doc, 48));
    for (let slot: u32 = 2; slot < count; slot++) {
      const at = slotAt(slot) + doc;
      least0 = i8x16.min_u(least0, v128.load(at));
      least1 = i8x16.min_u(least1, v128.load(at, 16));
      least2 = i8x16.min_u(least2, v128.load(at, 32));
      least3 = i8x16.min_u(least3, v128.load(at, 48));
    }
    store<u64>(bits + (doc >> 3), ~maskOf(i8x16.eq(least0, zero), i8x16.eq(least1, zero), i8x16.eq(least2, zero), i8x16.eq(least3, zero)));
  }
  if (mayHaveDead()) dropDead(bits, end);
}

function dropDead(bits: usize, end: usize): void {
  const grades = buffer(B_GRADES);
  for (let doc: usize = 0; doc < end; doc += 64) {
    const matches = load<u64>(bits + (doc >> 3));
    // The mask selects the high bits, which only the grades of dead documents have.
    store<u64>(bits + (doc >> 3), matches & ~maskOf(v128.load(grades + doc), v128.load(grades + doc, 16), v128.load(grades + doc, 32), v128.load(grades + doc, 48)));
  }
}

/** Whether postings may be of dead documents. */
export function mayHaveDead(): bool {
  return load<u32>(H_DEAD_DOCS) !== 0 || load<u32>(H_REMAP) !== 0 || isDead(load<u32>(H_DOCS) - 1);
}

/** The high bits of 64 bytes. */
export function maskOf(a: v128, b: v128, c: v128, d: v128): u64 {
  return <u64>i8x16.bitmask(a) | (<u64>i8x16.bitmask(b) << 16) | (<u64>i8x16.bitmask(c) << 32) | (<u64>i8x16.bitmask(d) << 48);
}
