// Which candidates of an exact phrase may contain it, by the lowest bits of positions: these are at known places in a block, whereas the
// others have to be searched. The sum of the lowest bits of differences has the lowest bits of a position.
//
// The note about a word in a candidate is a u64 with a bit for each remainder by 64 that a position of the word may have. If fewer
// than six bits of a position are known, a bit is set for each remainder with these; if none are, all bits are set.

import { getVarint, varintLength, varintValue } from './bytes.ts';
import { blockFieldParts, blockSpecials } from './fields.ts';
import { CHOSEN } from './layout.ts';
import { chosenIndex, chosenRank, noteOf } from './phrase-candidates.ts';
import { openPositions, remaindersOf } from './positions.ts';
import { parsePosting, postingFields, postingFrequency, skipFields, skipPosting } from './postings.ts';
import { blockFields, blockPositions } from './reading.ts';

const ALL: u64 = ~(<u64>0);

/** Notes the remainders of a word in the chosen postings of a block, given the frequencies of its `count` postings. */
export function noteInBlock(block: usize, frequencies: usize, count: u32, chosen: u32, word: u32): void {
  openPositions(blockPositions(block), count, frequencies);
  const end = CHOSEN + (<usize>chosen << 2);
  for (let at = CHOSEN; at < end; at += 4) {
    const index = chosenIndex(at);
    note(word, chosenRank(at), remaindersOf(index, load<u32>(frequencies + (<usize>index << 2))));
  }
  if (blockFields(block) !== 1) noteSpecials(block, end, word);
}

/** Positions begin anew in each field, so nothing is known about postings with several fields. */
function noteSpecials(block: usize, end: usize, word: u32): void {
  let part = blockFieldParts(block);
  let at = CHOSEN;
  for (let specials = blockSpecials(block); specials > 0; specials--) {
    const index = <u32>load<u8>(part);
    while (at < end && chosenIndex(at) < index) at += 4;
    if (at === end) return;
    if (chosenIndex(at) === index) note(word, chosenRank(at), ALL);
    part = skipFields(part + 1);
  }
}

/** The same for a tail. */
export function noteInTail(tail: usize, chosen: u32, word: u32): void {
  let posting = tail;
  let index: u32 = 0;
  for (let at = CHOSEN, end = CHOSEN + (<usize>chosen << 2); at < end; at += 4) {
    for (; index < chosenIndex(at); index++) posting = skipPosting(posting);
    const positions = parsePosting(posting);
    note(word, chosenRank(at), postingFields() === 1 ? remaindersIn(positions, postingFrequency()) : ALL);
  }
}

function remaindersIn(at: usize, frequency: u32): u64 {
  let remainders: u64 = 0;
  let position: u32 = 0;
  for (let i: u32 = 0; i < frequency; i++) {
    const difference = getVarint(at);
    at += varintLength(difference);
    position += varintValue(difference);
    remainders |= <u64>1 << <u64>(position & 63);
  }
  return remainders;
}

function note(word: u32, rank: u32, remainders: u64): void {
  const place = noteOf(word, rank);
  store<u64>(place, load<u64>(place) | remainders);
}

/** The remainders of a word in a candidate, of positions that are `offset` lower. */
export function remaindersBefore(word: u32, rank: u32, offset: u32): u64 {
  return rotr(load<u64>(noteOf(word, rank)), <u64>(offset & 63));
}
