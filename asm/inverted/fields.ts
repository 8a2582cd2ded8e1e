// Reading the fields of postings: which frequencies of a chunk belong to the content, and which to other fields.

import { getVarint, skipVarints, varintLength, varintValue } from './bytes.ts';
import { CONTENT_FREQUENCIES, DERIVED, FURTHER, PLAIN_FIELDS } from './layout.ts';
import { skipPacked } from './packing.ts';
import { BLOCK_HEADER, blockAt, blockBits, blockCount, MORE, ONCE, parsePosting, postingFields, postingFieldsAt,
  postingFrequency, skipFields } from './postings.ts';
import { blockFields, blockPositions, blockPostings } from './reading.ts';
import { R_FIELDS, R_TAIL, recordOf } from './records.ts';
import { B_FIELD_ENTRIES, buffer, reserve } from './scratch.ts';

/**
 * Separates the frequencies of a chunk that was just read (`frequencies` of `readChunk`, `count` of them) by field:
 * those in the content go to CONTENT_FREQUENCIES, the others to B_FIELD_ENTRIES, in the order of postings and then of
 * fields. Returns the number of entries (see `entryIndex`).
 */
export function readFields(form: u32, chunk: u32, count: u32, frequencies: usize): u32 {
  const record = recordOf(form);
  memory.copy(CONTENT_FREQUENCIES, frequencies, <usize>count << 2);
  if (load<u8>(record, R_FIELDS) === 1) return 0;
  return chunk < blockCount(record) ? readBlockFields(blockAt(record, chunk)) : readTailFields(record, count);
}

/** Subtracts the occurrences in derived fields from the frequencies of a chunk that was just read to `frequencies`. */
export function dropDerived(form: u32, chunk: u32, count: u32, frequencies: usize): void {
  const record = recordOf(form);
  if ((load<u8>(record, R_FIELDS) & DERIVED) === 0) return;
  if (chunk < blockCount(record) && (blockFields(blockAt(record, chunk)) & blockBits(DERIVED)) === 0) return;
  const entries = readFields(form, chunk, count, frequencies);
  for (let entry: u32 = 0; entry < entries; entry++) {
    if (!isDerived(entryField(entry))) continue;
    const place = frequencies + (<usize>entryIndex(entry) << 2);
    store<u32>(place, load<u32>(place) - entryFrequency(entry));
  }
}

export function isDerived(field: u32): bool {
  return field < PLAIN_FIELDS && ((DERIVED >> field) & 1) !== 0;
}

// An entry: u32 field << 8 | index of the posting, u32 occurrences there.

export function entryIndex(entry: u32): u32 {
  return load<u8>(buffer(B_FIELD_ENTRIES) + (<usize>entry << 3));
}

export function entryField(entry: u32): u32 {
  return load<u32>(buffer(B_FIELD_ENTRIES) + (<usize>entry << 3)) >> 8;
}

export function entryFrequency(entry: u32): u32 {
  return load<u32>(buffer(B_FIELD_ENTRIES) + (<usize>entry << 3), 4);
}

function readBlockFields(block: usize): u32 {
  let at = blockFieldParts(block);
  let entries: u32 = 0;
  for (let specials = blockSpecials(block); specials > 0; specials--) {
    entries = noteFields(at + 1, load<u8>(at), entries);
    at = skipFields(at + 1);
  }
  assert(blockFields(block) === 1 || at === blockPositions(block), 'field parts that do not end at the positions');
  return entries;
}

/** The same for one posting of a block, given its frequency. */
export function readPostingFields(block: usize, index: u32, frequency: u32): u32 {
  store<u32>(CONTENT_FREQUENCIES + (<usize>index << 2), frequency);
  let at = blockFieldParts(block);
  for (let specials = blockSpecials(block); specials > 0; specials--) {
    if (<u32>load<u8>(at) === index) return noteFields(at + 1, index, 0);
    at = skipFields(at + 1);
  }
  return 0;
}

/** The same for the posting that `parsePosting` has read. */
export function readParsedFields(frequency: u32): u32 {
  store<u32>(CONTENT_FREQUENCIES, frequency);
  return postingFields() === 1 ? 0 : noteFields(postingFieldsAt(), 0, 0);
}

/** Occurrences in a plain field other than the content, given a field part. */
export function partFrequency(part: usize, field: u32): u32 {
  const bits = <u32>load<u8>(part);
  if (((bits >> field) & 1) === 0) return 0;
  return varintValue(getVarint(skipVarints(part + 1, popcnt(bits & ((1 << field) - 2)))));
}

/** Postings of a block that have a field part. */
export function blockSpecials(block: usize): u32 {
  return blockFields(block) === 1 ? 0 : <u32>load<u8>(blockFieldParts(block) - 1);
}

/** Address of a block's field parts: u8 index of the posting, its field part, and so on. */
export function blockFieldParts(block: usize): usize {
  const count = blockPostings(block);
  return skipPacked(skipPacked(block + BLOCK_HEADER, count), count) + 1;
}

function readTailFields(record: usize, count: u32): u32 {
  let at = <usize>load<u32>(record, R_TAIL);
  let entries: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    at = parsePosting(at);
    if (postingFields() !== 1) entries = noteFields(postingFieldsAt(), i, entries);
    at = skipVarints(at, postingFrequency());
  }
  return entries;
}

/** Appends the entries of a field part; returns their number. */
function noteFields(at: usize, index: u32, entries: u32): u32 {
  const bits = <u32>load<u8>(at++);
  for (let left = bits & ~(FURTHER | 1); left !== 0; left &= left - 1) {
    const frequency = getVarint(at);
    at += varintLength(frequency);
    noteField(entries++, <u32>ctz(left), index, varintValue(frequency));
  }
  let field: u32 = PLAIN_FIELDS - 1;
  for (let more = (bits & FURTHER) !== 0; more;) {
    const head = getVarint(at);
    at += varintLength(head);
    field += (varintValue(head) >> 2) + 1;
    more = (varintValue(head) & MORE) !== 0;
    let frequency: u32 = 1;
    if ((varintValue(head) & ONCE) === 0) {
      const several = getVarint(at);
      at += varintLength(several);
      frequency = varintValue(several);
    }
    noteField(entries++, field, index, frequency);
  }
  return entries;
}

function noteField(entry: u32, field: u32, index: u32, frequency: u32): void {
  const place = reserve(B_FIELD_ENTRIES, (entry + 1) << 3) + (<usize>entry << 3);
  store<u32>(place, (field << 8) | index);
  store<u32>(place, frequency, 4);
  const content = CONTENT_FREQUENCIES + (<usize>index << 2);
  store<u32>(content, load<u32>(content) - frequency);
}
