// Joining two blocks to one without the values of removed documents. The slots of the first block come before those of
// the second, so each list is that of the first and then that of the second.

import { reserve } from '../geo/buffers.ts';
import { setLeaf as setBlockOf } from '../geo/places.ts';
import { dataOf, directoryOf, docsOf, listsOf, liveOf, newBlock, ordsOf, retire, setOrd, valuesOf } from './blocks.ts';
import { B_SLOTS, E_START, ENTRY, H_WORK, MAX_DOCS, NO_ORD, VALUE } from './layout.ts';

const NO_SLOT: u32 = 0xffff;

/** Joins two blocks, of which the second may be 0. Both are retired; their documents are those of the new block. */
export function join(a: usize, b: usize): usize {
  const docs = liveOf(a) + (b === 0 ? 0 : liveOf(b));
  const slotsA = reserve(B_SLOTS, MAX_DOCS * 4);
  const slotsB = slotsA + (<usize>docsOf(a) << 1);
  numberSlots(a, slotsA, 0);
  if (b !== 0) numberSlots(b, slotsB, liveOf(a));
  const size = count(a, slotsA, b, slotsB);
  const block = newBlock(docs, <u32>(size >> 32), <u32>size);
  fill(block, a, slotsA, b, slotsB);
  moveOrds(block, a, slotsA);
  if (b !== 0) moveOrds(block, b, slotsB);
  store<u32>(H_WORK, load<u32>(H_WORK) + 2 * (valuesIn(a) + valuesIn(b)));
  retire(a);
  if (b !== 0) retire(b);
  return block;
}

function valuesIn(block: usize): u32 {
  return block === 0 ? 0 : valuesOf(block) + listsOf(block);
}

/** Numbers the documents that are left, from `first` on. */
function numberSlots(block: usize, slots: usize, first: u32): void {
  const ords = ordsOf(block);
  for (let i: u32 = 0; i < docsOf(block); i++) {
    const isLive = load<u32>(ords + (<usize>i << 2)) !== NO_ORD;
    store<u16>(slots + (<usize>i << 1), isLive ? first++ : NO_SLOT);
  }
}

function moveOrds(to: usize, from: usize, slots: usize): void {
  for (let i: u32 = 0; i < docsOf(from); i++) {
    const ord = load<u32>(ordsOf(from) + (<usize>i << 2));
    if (ord === NO_ORD) continue;
    setOrd(to, load<u16>(slots + (<usize>i << 1)), ord);
    setBlockOf(ord, to);
  }
}

/** Numbers of lists, in the upper half, and of values of both blocks together. */
function count(a: usize, slotsA: usize, b: usize, slotsB: usize): u64 {
  const isWhole = isComplete(a) && isComplete(b);
  let lists: u32 = 0;
  let values: u32 = isWhole ? valuesOf(a) + (b === 0 ? 0 : valuesOf(b)) : 0;
  let entryA = firstEntry(a);
  let entryB = firstEntry(b);
  const endA = endOfEntries(a);
  const endB = endOfEntries(b);
  while (entryA < endA || entryB < endB) {
    const order = orderOf(entryA, endA, entryB, endB);
    let found: u32 = 0;
    if (!isWhole) {
      if (order <= 0) found += countList(a, entryA, slotsA);
      if (order >= 0) found += countList(b, entryB, slotsB);
    }
    entryA += <usize>(order <= 0) * ENTRY;
    entryB += <usize>(order >= 0) * ENTRY;
    lists += <u32>(isWhole || found > 0);
    values += found;
  }
  return (<u64>lists << 32) | values;
}

function fill(block: usize, a: usize, slotsA: usize, b: usize, slotsB: usize): void {
  const first = dataOf(block);
  let entry = directoryOf(block);
  let data = first;
  let entryA = firstEntry(a);
  let entryB = firstEntry(b);
  const endA = endOfEntries(a);
  const endB = endOfEntries(b);
  const isCompleteA = isComplete(a);
  const isCompleteB = isComplete(b);
  while (entryA < endA || entryB < endB) {
    const order = orderOf(entryA, endA, entryB, endB);
    const countA = order > 0 ? 0 : isCompleteA ? lengthOf(entryA) : countList(a, entryA, slotsA);
    const countB = order < 0 ? 0 : isCompleteB ? lengthOf(entryB) : countList(b, entryB, slotsB);
    const length = countA + countB;
    if (length > 0) {
      store<u32>(entry, load<u32>(order <= 0 ? entryA : entryB));
      store<u32>(entry, <u32>(data - first) / VALUE, E_START);
      entry += ENTRY;
      const slots = data + (<usize>length << 2);
      if (countA > 0) copyList(a, entryA, slotsA, data, slots);
      if (countB > 0) copyList(b, entryB, slotsB, data + (<usize>countA << 2), slots + (<usize>countA << 1));
      data += length * VALUE;
    }
    entryA += <usize>(order <= 0) * ENTRY;
    entryB += <usize>(order >= 0) * ENTRY;
  }
  assert(entry === endOfEntries(block) && data === first + valuesOf(block) * VALUE, 'a block of another size');
}

function isComplete(block: usize): bool {
  return block === 0 || liveOf(block) === docsOf(block);
}

function firstEntry(block: usize): usize {
  return block === 0 ? 0 : directoryOf(block);
}

function endOfEntries(block: usize): usize {
  return block === 0 ? 0 : directoryOf(block) + listsOf(block) * ENTRY;
}

/** Below 0 if the next dimension is the first block's, above if it is the second's, 0 if it is of both. */
function orderOf(entryA: usize, endA: usize, entryB: usize, endB: usize): i32 {
  if (entryB === endB) return -1;
  if (entryA === endA) return 1;
  const dimA = load<u32>(entryA);
  const dimB = load<u32>(entryB);
  return <i32>(dimA > dimB) - <i32>(dimA < dimB);
}

function lengthOf(entry: usize): u32 {
  return load<u32>(entry, ENTRY + E_START) - load<u32>(entry, E_START);
}

/** Number of values of documents that are left. */
function countList(block: usize, entry: usize, slots: usize): u32 {
  const length = lengthOf(entry);
  const list = dataOf(block) + load<u32>(entry, E_START) * VALUE + (<usize>length << 2);
  let found: u32 = 0;
  for (let i: usize = 0; i < length; i++)
    found += <u32>(load<u16>(slots + (<usize>load<u16>(list + (i << 1)) << 1)) !== NO_SLOT);
  return found;
}

/** Copies those values, and their new slots. */
function copyList(block: usize, entry: usize, slots: usize, toValues: usize, toSlots: usize): void {
  const length = lengthOf(entry);
  const values = dataOf(block) + load<u32>(entry, E_START) * VALUE;
  const list = values + (<usize>length << 2);
  for (let i: usize = 0; i < length; i++) {
    const slot = <u32>load<u16>(slots + (<usize>load<u16>(list + (i << 1)) << 1));
    if (slot === NO_SLOT) continue;
    store<f32>(toValues, load<f32>(values + (i << 2)));
    store<u16>(toSlots, slot);
    toValues += 4;
    toSlots += 2;
  }
}
