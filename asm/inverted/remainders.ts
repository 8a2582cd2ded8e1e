// Notes about the words of an exact phrase in its candidates (see `phrase-notes.ts`). Up to three positions of a
// posting are noted, and of others only their lowest bits: these are at known places in a block, whereas the others
// have to be searched. The sum of the lowest bits of differences has the lowest bits of a position. If fewer than six
// bits of a position are known, a bit is set for each remainder with these; if none are, all bits are set.

import { getVarint, varintLength, varintValue } from './bytes.ts';
import { blockFieldParts, blockSpecials } from './fields.ts';
import { CHOSEN } from './layout.ts';
import { FIRST_ONE } from './ones.ts';
import { chosenIndex, chosenRank, noteOf, noteSize, notesOf } from './phrase-candidates.ts';
import { addPosition, addRemainders, addToFew, hasSpace } from './phrase-notes.ts';
import { ESCAPE, fewBefore, fewStart, fewWidth, findUpper, lowerBits, mostAreFew, openPositions, remaindersOf,
  singleCount, singlesIn, singleWidth } from './positions.ts';
import { parsePosting, postingFields, postingFrequency, skipFields } from './postings.ts';
import { blockFields, blockPositions, postingOfTail } from './reading.ts';

const ALL: u64 = ~(<u64>0);

/**
 * Notes the positions or remainders of a word in chosen postings of a block, given the frequencies of its `count`
 * postings.
 */
export function noteInBlock(block: usize, frequencies: usize, count: u32, postings: usize, end: usize,
  word: u32): void
{
  openPositions(blockPositions(block), count, frequencies);
  const few = mostAreFew();
  findUpper(few);
  const others = noteSingles(frequencies, postings, end, notesOf(word));
  for (let at = CHOSEN; at < others; at += 4) {
    const index = chosenIndex(at);
    const frequency = load<u32>(frequencies + (<usize>index << 2));
    const note = noteOf(word, chosenRank(at));
    if (!few || frequency - 2 >= 2 || !noteFew(note, index, frequency))
      addRemainders(note, remaindersOf(index, frequency));
  }
  if (blockFields(block) !== 1) noteSpecials(block, postings, end, word);
}

/**
 * Notes those of postings with a single position. The others are copied to CHOSEN; returns their end. Without branches
 * that could not be predicted.
 */
function noteSingles(frequencies: usize, postings: usize, end: usize, notes: usize): usize {
  const low = singlesIn(0);
  const high = singlesIn(8);
  const lower = lowerBits();
  const k = singleWidth();
  const mask: u32 = (1 << k) - 1;
  const size = noteSize();
  let others = CHOSEN;
  for (let at = postings; at < end; at += 4) {
    const index = chosenIndex(at);
    const before = (<u64>1 << <u64>(index & 63)) - 1;
    const inHigh = 0 - <u64>(index >> 6);
    const value = <u32>(popcnt(low & (before | inHigh)) + popcnt(high & before & inHigh));
    const one = FIRST_ONE + (<usize>value << 1);
    const upper = (<u32>load<u16>(one) - load<u16>(one - 2) - 1) & 0xffff;
    const bit = value * k;
    const position = (upper << k) | ((load<u32>(lower + <usize>(bit >> 3)) >> (bit & 7)) & mask);
    const note = notes + <usize>chosenRank(at) * size;
    let single: u32 = 0;
    if (hasSpace(note)) {
      single = <u32>(load<u32>(frequencies + (<usize>index << 2)) === 1) & <u32>(upper !== ESCAPE);
      addToFew(note, position, single);
    }
    store<u32>(others, load<u32>(at));
    others += <usize>(1 - single) << 2;
  }
  return others;
}

/** The same for a posting with two or three positions. Returns false if a value is escaped. */
function noteFew(note: usize, index: u32, frequency: u32): bool {
  const k = fewWidth();
  const mask: u32 = (1 << k) - 1;
  const lower = lowerBits();
  const first = fewBefore(index);
  let bit = <usize>(first * k + fewStart());
  let one = FIRST_ONE + (<usize>(singleCount() + first) << 1);
  let position: u32 = 0;
  for (const end = one + (<usize>frequency << 1); one < end; one += 2) {
    const upper = (<u32>load<u16>(one) - load<u16>(one - 2) - 1) & 0xffff;
    if (upper === ESCAPE) return false;
    position += (upper << k) | ((load<u32>(lower + (bit >> 3)) >> <u32>(bit & 7)) & mask);
    addPosition(note, position);
    bit += k;
  }
  return true;
}

/** Positions begin anew in each field, so nothing is known about postings with several fields. */
function noteSpecials(block: usize, at: usize, end: usize, word: u32): void {
  let part = blockFieldParts(block);
  for (let specials = blockSpecials(block); specials > 0; specials--) {
    const index = <u32>load<u8>(part);
    while (at < end && chosenIndex(at) < index) at += 4;
    if (at === end) return;
    if (chosenIndex(at) === index) addRemainders(noteOf(word, chosenRank(at)), ALL);
    part = skipFields(part + 1);
  }
}

/** The same for a tail. */
export function noteInTail(tail: usize, places: usize, postings: usize, end: usize, word: u32): void {
  for (let at = postings; at < end; at += 4) {
    const positions = parsePosting(postingOfTail(tail, places, chosenIndex(at)));
    const note = noteOf(word, chosenRank(at));
    if (postingFields() !== 1) addRemainders(note, ALL);
    else if (postingFrequency() < 4) notePositions(note, positions, postingFrequency());
    else addRemainders(note, remaindersAt(positions, postingFrequency()));
  }
}

function notePositions(note: usize, at: usize, frequency: u32): void {
  let position: u32 = 0;
  for (let i: u32 = 0; i < frequency; i++) {
    const difference = getVarint(at);
    at += varintLength(difference);
    position += varintValue(difference);
    addPosition(note, position);
  }
}

function remaindersAt(at: usize, frequency: u32): u64 {
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
