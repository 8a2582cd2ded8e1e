// A cached list: the documents that have any form of a group, and how often each has one. It is the sum of the
// postings of the forms, kept in a block of the arena:
//
// 16 its positions (see `positions.ts`) 20 forms 24 documents 28 capacity 32 documents from this number on are not in
// it
//     36 H_DEATHS when dead documents were last removed   40 algorithm, 44 c0, 48 c1 of the impacts
//     52 does each frequency have a word of its own?   56 phrases that used it since the documents changed
//     60 the kind of list for its forms   64 its largest impact (f32)
// 80 forms, u32 each; then from a multiple of 16 on, for each document: a word, an impact (f32), and perhaps a
// frequency (u32)
//
// A bare list has no impacts: tallies need none, and twice as many lists fit.
//
// A word is the document in 24 bits and the frequency in 8; if one of them needs more bits, frequencies are separate.
// An impact is the BM25 score for a weight of 1. Behind the last document there are entries of the sink, whose
// impacts are 0, so that vectors of four may be read.

import { BLOCK_HEAD } from './arena.ts';

export const L_FORMS: usize = 20;
export const L_DOCUMENTS: usize = 24;
export const L_ROOM: usize = 28;
export const L_END: usize = 32;
export const L_DEATHS: usize = 36;
export const L_ALGORITHM: usize = 40;
export const L_C0: usize = 44;
/** In lists of `scored.ts`, at the same place: the number of the parameters. */
export const L_NUMBER: usize = 44;
export const L_C1: usize = 48;
export const L_WIDE: usize = 52;
export const L_PHRASES: usize = 56;
export const L_FAMILY: usize = 60;
/** Its largest impact, f32. */
export const L_MAX: usize = 64;
const HEAD: u32 = 80;

/**
 * The kind of this list, of lists of `matches.ts`, and of bare lists; other kinds, which are odd, are families of
 * `scored.ts`.
 */
export const SUMS: u32 = 0;
export const MATCHES: u32 = 2;
export const BARE: u32 = 4;

/** No algorithm: the impacts must be computed again. */
export const NO_IMPACTS: u32 = 0xffffffff;
export const NARROW_DOCUMENT: u32 = 0x00ffffff;
export const NARROW_FREQUENCY: u32 = 0xff;

/** Bytes of a list of `forms` forms with capacity for `room` documents (a multiple of 4). */
export function listBytes(forms: u32, room: u32, wide: bool, bare: bool = false): u64 {
  assert(BLOCK_HEAD <= HEAD, 'a head within a head');
  return <u64>dataOffset(forms) + <u64>room * (4 + (bare ? 0 : 4) + (wide ? 4 : 0));
}

export function formsOf(list: usize): usize {
  return list + HEAD;
}

export function documentsOf(list: usize): u32 {
  return load<u32>(list, L_DOCUMENTS);
}

export function isWide(list: usize): bool {
  return load<u32>(list, L_WIDE) !== 0;
}

export function wordsOf(list: usize): usize {
  return list + dataOffset(load<u32>(list, L_FORMS));
}

export function impactsOf(list: usize): usize {
  return wordsOf(list) + (<usize>load<u32>(list, L_ROOM) << 2);
}

/** Separate frequencies, in a wide list. */
export function frequenciesOf(list: usize): usize {
  return load<u32>(list, L_FAMILY) === BARE ? impactsOf(list) : impactsOf(list) + (<usize>load<u32>(list, L_ROOM) << 2);
}

/** The bits of a word that are the document. */
export function documentMask(list: usize): u32 {
  return isWide(list) ? 0xffffffff : NARROW_DOCUMENT;
}

/** Stores the largest impact, after all have been computed. */
export function noteLargest(list: usize): void {
  const impacts = impactsOf(list);
  let largest = f32x4.splat(0);
  // The entries behind the last one are 0.
  for (let i: usize = 0; i < <usize>documentsOf(list) << 2; i += 16)
    largest = f32x4.pmax(largest, v128.load(impacts + i));
  const two = f32x4.pmax(largest, v128.shuffle<f32>(largest, largest, 2, 3, 0, 1));
  store<f32>(list, max(f32x4.extract_lane(two, 0), f32x4.extract_lane(two, 1)), L_MAX);
}

function dataOffset(forms: u32): u32 {
  return (HEAD + forms * 4 + 15) & ~15;
}
