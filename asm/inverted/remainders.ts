// Which candidates of an exact phrase may contain it, by the lowest bits of positions: these are at known places in a block, whereas the
// others have to be searched. The sum of the lowest bits of differences has the lowest bits of a position.
//
// The note about a word in a candidate is a u64 with a bit for each remainder by 64 that a position of the word may have. If fewer
// than six bits of a position are known, a bit is set for each remainder with these; if none are, all bits are set.

import { getVarint, varintLength, varintValue } from './bytes.ts';
import { blockFieldParts, blockSpecials } from './fields.ts';
import { CHOSEN } from './layout.ts';
import { candidateCount, chosenIndex, chosenRank, noteOf, noteSize, notesOf } from './phrase-candidates.ts';
import { openPositions, remaindersOf, singleBits, singlesIn, singleWidth } from './positions.ts';
import { parsePosting, postingFields, postingFrequency, skipFields } from './postings.ts';
import { blockFields, blockPositions, postingOfTail } from './reading.ts';

const ALL: u64 = ~(<u64>0);

/** Notes the remainders of a word in chosen postings of a block, given the frequencies of its `count` postings. */
export function noteInBlock(block: usize, frequencies: usize, count: u32, postings: usize, end: usize, word: u32): void {
  openPositions(blockPositions(block), count, frequencies);
  const others = noteSingles(frequencies, postings, end, notesOf(word));
  for (let at = CHOSEN; at < others; at += 4) {
    const index = chosenIndex(at);
    note(word, chosenRank(at), remaindersOf(index, load<u32>(frequencies + (<usize>index << 2))));
  }
  if (blockFields(block) !== 1) noteSpecials(block, postings, end, word);
}

/** Notes those of postings with a single position, without branches. The others are copied to CHOSEN; returns their end. */
function noteSingles(frequencies: usize, postings: usize, end: usize, notes: usize): usize {
  const low = singlesIn(0);
  const high = singlesIn(8);
  const lower = singleBits();
  const k = singleWidth();
  const known: u32 = (1 << min(k, 6)) - 1;
  let repeats: u64 = 1;
  for (let step = known + 1; step < 64; step <<= 1) repeats |= repeats << <u64>step;
  const size = noteSize();
  let others = CHOSEN;
  for (let at = postings; at < end; at += 4) {
    const index = chosenIndex(at);
    const before = (<u64>1 << <u64>(index & 63)) - 1;
    const inHigh = 0 - <u64>(index >> 6);
    const bit = <u32>(popcnt(low & (before | inHigh)) + popcnt(high & before & inHigh)) * k;
    const position = load<u32>(lower + <usize>(bit >> 3)) >> (bit & 7);
    const single = <u32>(load<u32>(frequencies + (<usize>index << 2)) === 1);
    const place = notes + <usize>chosenRank(at) * size;
    store<u64>(place, load<u64>(place) | ((repeats << <u64>(position & known)) & (0 - <u64>single)));
    store<u32>(others, load<u32>(at));
    others += <usize>(1 - single) << 2;
  }
  return others;
}

/** Positions begin anew in each field, so nothing is known about postings with several fields. */
function noteSpecials(block: usize, at: usize, end: usize, word: u32): void {
  let part = blockFieldParts(block);
  for (let specials = blockSpecials(block); specials > 0; specials--) {
    const index = <u32>load<u8>(part);
    while (at < end && chosenIndex(at) < index) at += 4;
    if (at === end) return;
    if (chosenIndex(at) === index) note(word, chosenRank(at), ALL);
    part = skipFields(part + 1);
  }
}

/** The same for a tail. */
export function noteInTail(tail: usize, places: usize, postings: usize, end: usize, word: u32): void {
  for (let at = postings; at < end; at += 4) {
    const positions = parsePosting(postingOfTail(tail, places, chosenIndex(at)));
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

/** Leaves in the notes about the first word, for each candidate, those remainders from which `offset` further on a word has a position, too. */
export function intersectRemainders(word: u32, offset: u32): void {
  const size = noteSize();
  const between = notesOf(word) - notesOf(0);
  const every: u64 = word === 0 ? ALL : 0;
  for (let first = notesOf(0), end = first + <usize>candidateCount() * size; first < end; first += size) {
    store<u64>(first, (load<u64>(first) | every) & rotr(load<u64>(first + between), <u64>(offset & 63)));
  }
}
