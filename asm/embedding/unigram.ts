// Cuts words into the most probable pieces (unigram language model: Kudo, arXiv:1804.10959; the path by Viterbi). A
// word is a run of a script that has no spaces, any other run of letters, digits and marks behind U+2581, or one other
// visible character. A code point without a piece of its own is skipped at a cost, and has no token.

import { evidenceOfWord, idsOfWord, isKnown, MOST_POINTS, placeOfWord, rememberWord,
  unknownOfWord } from './known-words.ts';
import { bestOf, classesOf, PIECE_UNITS, pieceEnglishAt, pieceLatinAt, pieceResultsOf, pieceScoreAt, pointsOf, stepsOf,
  tokenCount, tokensOf, trieAt, trieBits } from './layout.ts';
import { childOf, pieceAt, WORD_MARK } from './pieces.ts';
import { MISSING } from './tokenizer.ts';

/** Classes of characters, as in src/kernels/piece-characters.ts. */
const SPACE: u8 = 0;
const OTHER: u8 = 1;
const SPACED: u8 = 2;

/** Log-probability of a character without a piece. */
const UNKNOWN: f64 = -25;
const UNREACHED: f64 = -1e30;
/** A step has the number of code points above the piece + 1. */
const LENGTH_SHIFT: u32 = 20;
const PIECE_MASK: u32 = (1 << LENGTH_SHIFT) - 1;
/** A Latin piece within a word says at most this about the language. */
const MOST_OF_PIECE: i32 = 8;

/**
 * Writes the ids of a text of `units` UTF-16 units at the beginning of the desk, which the host has normalised, and
 * returns their number, or MISSING as `tokenize` does, for a page of classes. The results of the desk are then how
 * English the text is, the number of its letters, and of those that no piece has.
 */
export function tokenizePieces(desk: usize, units: u32): u32 {
  assert(units <= PIECE_UNITS, 'the text is longer than the desk');
  const ids = tokensOf(desk);
  const classes = classesOf(desk);
  const points = pointsOf(desk);
  const results = pieceResultsOf(desk);
  const end = desk + (<usize>units << 1);
  let out = ids;
  let english: i32 = 0;
  let letters: u32 = 0;
  let unknown: u32 = 0;
  let kind = SPACE;
  let count: u32 = 0; // code points of the word so far
  for (let at = desk;;) {
    let point: u32 = 0;
    let next = SPACE;
    if (at < end) {
      point = <u32>load<u16>(at);
      at += 2;
      if ((point & 0xfc00) === 0xd800 && at < end) {
        const low = <u32>load<u16>(at);
        if ((low & 0xfc00) === 0xdc00) {
          point = 0x1_0000 + ((point & 0x3ff) << 10) + (low & 0x3ff);
          at += 2;
        }
      }
      const page = <usize>load<u32>(classes + <usize>(point >>> 8) * 4);
      if (page === 0) return MISSING | (point >>> 8);
      next = load<u8>(page + (point & 0xff));
    } else if (count === 0) {
      break;
    }
    if (count > 0 && (next !== kind || kind === OTHER)) {
      out = addWord(desk, count, out);
      english += load<i32>(results);
      if (kind !== OTHER) {
        letters += kind === SPACED ? count - 1 : count;
        unknown += load<u32>(results + 8);
      }
      count = 0;
    }
    kind = next;
    if (next === SPACE) continue;
    if (count === 0 && next === SPACED) {
      store<u32>(points, WORD_MARK);
      count = 1;
    }
    store<u32>(points + (<usize>count << 2), point);
    count++;
  }
  store<i32>(results, english);
  store<u32>(results + 4, letters);
  store<u32>(results + 8, unknown);
  return <u32>((out - ids) >> 2);
}

/**
 * Writes the ids of a word of `count` code points, and returns the end of them; the results are how English it is, and
 * the number of its code points without a piece.
 */
function addWord(desk: usize, count: u32, out: usize): usize {
  const results = pieceResultsOf(desk);
  const points = pointsOf(desk);
  const place = count > MOST_POINTS ? 0 : placeOfWord(desk, points, count);
  if (place !== 0 && isKnown(place, points, count)) {
    store<i32>(results, evidenceOfWord(place));
    store<u32>(results + 8, unknownOfWord(place));
    return idsOfWord(place, out);
  }
  const end = cut(desk, count, out);
  const evidence = evidenceOf(out, end);
  store<i32>(results, evidence);
  if (place !== 0) rememberWord(place, points, count, out, end, load<u32>(results + 8), evidence);
  return end;
}

/** Writes the ids of a word; the last result is the number of code points without a piece. */
function cut(desk: usize, count: u32, out: usize): usize {
  const points = pointsOf(desk);
  const best = bestOf(desk);
  const steps = stepsOf(desk);
  const slots = trieAt();
  const bits = trieBits();
  const scores = pieceScoreAt(0);
  store<f64>(best, 0);
  for (let i: usize = 1; i <= <usize>count; i++) store<f64>(best + (i << 3), UNREACHED);
  for (let i: u32 = 0; i < count; i++) {
    const sum = load<f64>(best + (<usize>i << 3));
    let isAlone: bool = false;
    let node: u32 = 0;
    for (let j = i; j < count;) {
      node = childOf(slots, bits, node, load<u32>(points + (<usize>j << 2)));
      if (node === 0) break;
      j++;
      const piece = pieceAt(slots, node);
      if (piece === 0) continue;
      if (j === i + 1) isAlone = true;
      take(best, steps, j, sum + load<f64>(scores + (<usize>(piece - 1) << 3)), piece | ((j - i) << LENGTH_SHIFT));
    }
    if (!isAlone) take(best, steps, i + 1, sum + UNKNOWN, 1 << LENGTH_SHIFT);
  }
  return writePath(desk, count, out);
}

/** Of equal paths the first counts. */
function take(best: usize, steps: usize, to: u32, sum: f64, step: u32): void {
  const place = best + (<usize>to << 3);
  if (sum <= load<f64>(place)) return;
  store<f64>(place, sum);
  store<u32>(steps + (<usize>to << 2), step);
}

function writePath(desk: usize, count: u32, out: usize): usize {
  const steps = stepsOf(desk);
  let found: usize = 0;
  let unknown: u32 = 0;
  for (let j = count; j > 0;) {
    const step = load<u32>(steps + (<usize>j << 2));
    if ((step & PIECE_MASK) !== 0) found++;
    else unknown++;
    j -= step >>> LENGTH_SHIFT;
  }
  const end = out + (found << 2);
  let at = end;
  const first = tokenCount();
  for (let j = count; j > 0;) {
    const step = load<u32>(steps + (<usize>j << 2));
    const piece = step & PIECE_MASK;
    if (piece !== 0) {
      at -= 4;
      store<u32>(at, first + piece - 1);
    }
    j -= step >>> LENGTH_SHIFT;
  }
  store<u32>(pieceResultsOf(desk) + 8, unknown);
  return end;
}

/** How English a word is, in sixteenths of a nat: one that is one piece counts fully, one in pieces little. */
function evidenceOf(first: usize, end: usize): i32 {
  if (first === end) return 0;
  const english = pieceEnglishAt();
  const latin = pieceLatinAt();
  const tokens = tokenCount();
  const head = <usize>(load<u32>(first) - tokens);
  if (first + 4 === end) return <i32>load<i8>(english + head);
  let sum: i32 = 0;
  for (let at = first; at < end; at += 4) {
    const piece = <usize>(load<u32>(at) - tokens);
    const value = <i32>load<i8>(english + piece);
    sum += load<u8>(latin + piece) !== 0 ? max(-MOST_OF_PIECE, min(MOST_OF_PIECE, value)) : value;
  }
  return load<u8>(latin + head) !== 0 ? sum >> 1 : sum;
}
