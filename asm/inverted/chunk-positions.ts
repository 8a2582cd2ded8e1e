// The positions of a chunk whose postings have been read: a u64 each, with the field in the upper half, so that
// positions of a posting ascend.

import { getVarint, varintLength, varintValue } from './bytes.ts';
import { entryField, entryFrequency, entryIndex, readFields, readParsedFields, readPostingFields } from './fields.ts';
import { CONTENT_FREQUENCIES } from './layout.ts';
import { decodePositions, decodePosting } from './positions.ts';
import { blockAt, blockCount, parsePosting, postingFrequency } from './postings.ts';
import { blockPositions } from './reading.ts';
import { R_TAIL, recordOf } from './records.ts';

/** Reads the positions to `to`, where there must be space for them, given the frequencies of the `count` postings. */
export function readChunkPositions(form: u32, chunk: u32, count: u32, frequencies: usize, to: usize): void {
  let values: usize = 0;
  for (let i: usize = 0; i < <usize>count << 2; i += 4) values += <usize>load<u32>(frequencies + i);
  // The differences, half as wide, are read to behind the middle, so that writing never overtakes reading.
  const differences = to + (values << 2);
  const record = recordOf(form);
  if (chunk < blockCount(record))
    decodePositions(blockPositions(blockAt(record, chunk)), count, frequencies, differences);
  else readTailPositions(load<u32>(record, R_TAIL), count, differences);
  sumPositions(differences, count, readFields(form, chunk, count, frequencies), to);
}

function readTailPositions(at: usize, count: u32, to: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    at = readDifferences(parsePosting(at), postingFrequency(), to);
    to += <usize>postingFrequency() << 2;
  }
}

/** Reads `count` differences to `to`; returns the address behind them. */
function readDifferences(at: usize, count: u32, to: usize): usize {
  for (const end = to + (<usize>count << 2); to < end; to += 4) {
    const difference = getVarint(at);
    at += varintLength(difference);
    store<u32>(to, varintValue(difference));
  }
  return at;
}

/** Reads the positions of one posting of a tail, given its address and frequency, to `to`. */
export function readTailPosting(posting: usize, frequency: u32, to: usize): void {
  const differences = to + (<usize>frequency << 2);
  readDifferences(parsePosting(posting), frequency, differences);
  sumPositions(differences, 1, readParsedFields(frequency), to);
}

/** Turns differences within each field of each posting into positions with their fields. */
function sumPositions(from: usize, count: u32, entries: u32, to: usize): void {
  let entry: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const inContent = <usize>load<u32>(CONTENT_FREQUENCIES + (<usize>i << 2));
    sumDifferences(from, inContent, 0, to);
    from += inContent << 2;
    to += inContent << 3;
    for (; entry < entries && entryIndex(entry) === i; entry++) {
      const there = <usize>entryFrequency(entry);
      sumDifferences(from, there, <u64>entryField(entry) << 32, to);
      from += there << 2;
      to += there << 3;
    }
  }
}

function sumDifferences(from: usize, count: usize, position: u64, to: usize): void {
  for (const end = from + (count << 2); from < end; from += 4) {
    position += <u64>load<u32>(from);
    store<u64>(to, position);
    to += 8;
  }
}

/**
 * Reads the positions of one posting of a block that `openPositions` has opened to `to`. Postings must be read in
 * ascending order.
 */
export function readOpenPosting(block: usize, index: u32, frequency: u32, to: usize): void {
  decodePosting(index, frequency, to);
  const entries = readPostingFields(block, index, frequency);
  // The positions were summed as if all were in one field. The sum before each field is subtracted from its positions;
  // it is still there.
  let at = to + (<usize>frequency << 3);
  for (let entry = entries; entry-- > 0;) {
    const end = at;
    at -= <usize>entryFrequency(entry) << 3;
    const field = (<u64>entryField(entry) << 32) - (at > to ? load<u64>(at - 8) : 0);
    for (let place = at; place < end; place += 8) store<u64>(place, load<u64>(place) + field);
  }
}
