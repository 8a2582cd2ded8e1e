// The vocabulary of pieces: a trie of code points as one open hash table. A slot is a node; it has, from its lowest bit
// on, the slot of its parent + 1 (22 bits, 0 for the root), the code point that leads to it (21 bits), and the number
// of the piece that ends there + 1 (21 bits), or 0.
//
// A line of the vocabulary is a piece, a tab, and its log-probability, a decimal number.

import { pieceCount, pieceLatinAt, pieceLinesAt, pieceLinesBytes, pieceScoreAt, trieAt, trieBits } from './layout.ts';
import { codePointAt, widthOf } from './tokenizer.ts';

const CHARACTER_SHIFT: u64 = 22;
const PIECE_SHIFT: u64 = 43;
const KEY_MASK: u64 = (<u64>1 << PIECE_SHIFT) - 1;
/** 2 to the 64th, divided by the golden ratio: Fibonacci hashing. */
const MULTIPLIER: u64 = (<u64>0x9e37_79b9 << 32) | 0x7f4a_7c15;
/** Marks the beginning of a word. */
export const WORD_MARK: u32 = 0x2581;
const NEWLINE: u8 = 0x0a;
const TAB: u8 = 0x09;
const MINUS: u8 = 0x2d;
const POINT: u8 = 0x2e;
const ZERO: u8 = 0x30;

/**
 * The node behind a code point from a node on, or 0; the root is 0. `slots` and `bits` are those of the table, which
 * callers read once.
 */
export function childOf(slots: usize, bits: u32, node: u32, character: u32): u32 {
  const key = <u64>node | (<u64>character << CHARACTER_SHIFT);
  const mask = (<u32>1 << bits) - 1;
  let slot = <u32>((key * MULTIPLIER) >> (64 - bits));
  let entry = load<u64>(slots + (<usize>slot << 3));
  while (entry !== 0) {
    if ((entry & KEY_MASK) === key) return slot + 1;
    slot = (slot + 1) & mask;
    entry = load<u64>(slots + (<usize>slot << 3));
  }
  return 0;
}

/** The piece that ends at a node + 1, or 0. */
export function pieceAt(slots: usize, node: u32): u32 {
  return <u32>(load<u64>(slots + (<usize>(node - 1) << 3)) >> PIECE_SHIFT);
}

/**
 * Puts the lines, which the host has written, into the table. Returns their number; 0 if they have too many nodes.
 * There must be as many rows.
 */
export function indexPieces(): u32 {
  const slots = <u32>1 << trieBits();
  memory.fill(trieAt(), 0, <usize>slots << 3);
  let free: u32 = slots - (slots >> 2);
  let at = pieceLinesAt();
  const end = at + pieceLinesBytes();
  let piece: u32 = 0;
  while (at < end && piece < pieceCount()) {
    let lineEnd = at;
    let tab = at;
    for (; lineEnd < end && load<u8>(lineEnd) !== NEWLINE; lineEnd++) if (load<u8>(lineEnd) === TAB) tab = lineEnd;
    const made = addPiece(piece, at, tab, free);
    if (made > free) return 0;
    free -= made;
    store<f64>(pieceScoreAt(piece), numberAt(tab + 1, lineEnd));
    piece++;
    at = lineEnd + 1;
  }
  return piece;
}

/** Adds a piece; returns the number of nodes that were made for it, more than `free` if there is no place. */
function addPiece(piece: u32, at: usize, end: usize, free: u32): u32 {
  let node: u32 = 0;
  let made: u32 = 0;
  let isLatin: bool = true;
  let letters: u32 = 0;
  for (const first = at; at < end;) {
    const lead = <u32>load<u8>(at);
    const character = lead < 0x80 ? lead : codePointAt(at, lead);
    if (character !== WORD_MARK || at > first) {
      letters++;
      if (character > 0x24f && !(character >= 0x1e00 && character <= 0x1eff)) isLatin = false;
    }
    at += lead < 0x80 ? 1 : widthOf(lead);
    let child = childOf(trieAt(), trieBits(), node, character);
    if (child === 0) {
      made++;
      if (made > free) return made;
      child = insert(<u64>node | (<u64>character << CHARACTER_SHIFT));
    }
    node = child;
  }
  if (node === 0) return made;
  const entry = trieAt() + (<usize>(node - 1) << 3);
  store<u64>(entry, (load<u64>(entry) & KEY_MASK) | (<u64>(piece + 1) << PIECE_SHIFT));
  store<u8>(pieceLatinAt() + piece, <u8>(isLatin && letters > 0));
  return made;
}

function insert(key: u64): u32 {
  const bits = trieBits();
  let slot = <u32>((key * MULTIPLIER) >> (64 - bits));
  while (load<u64>(trieAt() + (<usize>slot << 3)) !== 0) slot = (slot + 1) & ((<u32>1 << bits) - 1);
  store<u64>(trieAt() + (<usize>slot << 3), key);
  return slot + 1;
}

/** A decimal number: its digits divided by a power of ten, which is the nearest f64. */
function numberAt(at: usize, end: usize): f64 {
  const isNegative = at < end && load<u8>(at) === MINUS;
  if (isNegative) at++;
  let digits: f64 = 0;
  let power: f64 = 1;
  let isFraction: bool = false;
  for (; at < end; at++) {
    const character = load<u8>(at);
    if (character === POINT) {
      isFraction = true;
      continue;
    }
    digits = digits * 10 + <f64>(character - ZERO);
    if (isFraction) power *= 10;
  }
  return (isNegative ? -digits : digits) / power;
}
