// Searches, block by block. Several may be open at a time; blocks must not change before they are done. A score that is
// not a number is no result.
//
//     search: header, 48 bytes   k x u64 entry (best.ts)   dims x u32 dimension, ascending   dims x f32 value
//             words x u32, bitmap of the ordinals that may be found

import { allocate, release } from '../columns/memory.ts';
import { buffer } from '../geo/buffers.ts';
import { entryOf, ordOf, pushEntry, replaceWorst, scoreOf, sortEntries } from './best.ts';
import { blockAt, blockCount, docsOf, ordsOf } from './blocks.ts';
import { B_GREATEST, B_LEAST, B_SCORES, H_DOCUMENTS, NO_ORD, PART_SEARCHES } from './layout.ts';
import { addProducts, openScores, UNTOUCHED } from './scoring.ts';

/** Address of the entries: k are the best, `held` of them exist. */
export const S_ENTRIES: usize = 0;
const S_K: usize = 4;
export const S_HELD: usize = 8;
/** The least score of a result. */
const S_BAR: usize = 12;
/** Number of dimensions, and the address of the first. */
const S_DIMS: usize = 16;
export const S_QUERY: usize = 20;
/** Number of words of the bitmap, or ALL, and its address. */
const S_WORDS: usize = 24;
export const S_BITMAP: usize = 28;
/** Blocks that were searched. */
const S_BLOCK: usize = 32;
/** Products and documents that the last step went through. */
export const S_STEPS: usize = 36;
const S_BYTES: usize = 40;
const SEARCH_HEADER: u32 = 48;

/** Number of words of a search of all documents. */
export const ALL: u32 = 0xffffffff;

/** Work that looking a dimension up in a block is worth, in products. */
const LOOK_UP: u32 = 32;

/**
 * Begins a search for the `k` best with scores of at least `bar` by a vector of `dims` values, which the host writes at
 * S_QUERY, and the bitmap at S_BITMAP. Returns its address.
 */
export function openSearch(k: u32, bar: f32, dims: u32, words: u32): usize {
  k = min(k, load<u32>(H_DOCUMENTS));
  const bytes = SEARCH_HEADER + k * 8 + dims * 8 + (words === ALL ? 0 : words * 4);
  const search = allocate(bytes, PART_SEARCHES);
  const query = <u32>search + SEARCH_HEADER + k * 8;
  store<u32>(search, <u32>search + SEARCH_HEADER, S_ENTRIES);
  store<u32>(search, k, S_K);
  store<u32>(search, 0, S_HELD);
  store<f32>(search, bar, S_BAR);
  store<u32>(search, dims, S_DIMS);
  store<u32>(search, query, S_QUERY);
  store<u32>(search, words, S_WORDS);
  store<u32>(search, query + dims * 8, S_BITMAP);
  store<u32>(search, 0, S_BLOCK);
  store<u32>(search, 0, S_STEPS);
  store<u32>(search, bytes, S_BYTES);
  return search;
}

export function closeSearch(search: usize): void {
  release(search, load<u32>(search, S_BYTES), PART_SEARCHES);
}

/** Goes on for about `budget` products. Returns whether there is more to do. */
export function advance(search: usize, budget: u32): bool {
  const blocks: u32 = load<u32>(search, S_K) === 0 ? 0 : blockCount();
  let index = load<u32>(search, S_BLOCK);
  let steps: u32 = 0;
  if (index < blocks) openScores();
  for (; index < blocks && steps < budget; index++) steps += searchBlock(search, blockAt(index));
  store<u32>(search, index, S_BLOCK);
  store<u32>(search, steps, S_STEPS);
  return index < blocks;
}

/**
 * Sorts the results of a search that is done, the best first, as u32 ordinal and f32 score instead of the entries.
 */
export function closeEntries(search: usize): void {
  const entries = <usize>load<u32>(search, S_ENTRIES);
  const held = load<u32>(search, S_HELD);
  sortEntries(entries, held);
  for (let i: usize = 0; i < held; i++) {
    const entry = load<u64>(entries + (i << 3));
    store<u32>(entries + (i << 3), ordOf(entry));
    store<f32>(entries + (i << 3), scoreOf(entry), 4);
  }
}

function searchBlock(search: usize, block: usize): u32 {
  if (!mayPass(search, block)) return (load<u32>(block, B_GREATEST) - load<u32>(block, B_LEAST)) >> 5;
  const dims = load<u32>(search, S_DIMS);
  const query = <usize>load<u32>(search, S_QUERY);
  const products = addProducts(block, query, query + (<usize>dims << 2), dims);
  if (products > 0) takeScores(search, block);
  return products + docsOf(block) + dims * LOOK_UP;
}

/** Whether an ordinal between the least and the greatest of a block may be found. */
function mayPass(search: usize, block: usize): bool {
  const words = load<u32>(search, S_WORDS);
  if (words === ALL) return true;
  const bitmap = <usize>load<u32>(search, S_BITMAP);
  const to = min(words, (load<u32>(block, B_GREATEST) >> 5) + 1);
  for (let i = load<u32>(block, B_LEAST) >> 5; i < to; i++) if (load<u32>(bitmap + (<usize>i << 2)) !== 0) return true;
  return false;
}

/** Offers all documents of a block that have a score, and makes the scores UNTOUCHED. */
function takeScores(search: usize, block: usize): void {
  const scores = buffer(B_SCORES);
  const untouched = i32x4.splat(UNTOUCHED);
  for (let slot: u32 = 0; slot < docsOf(block); slot += 4) {
    const lanes = scores + (<usize>slot << 2);
    const four = v128.load(lanes);
    const passing = v128.andnot(f32x4.ge(four, v128.load_splat<f32>(search, S_BAR)), i32x4.eq(four, untouched));
    for (let left = i32x4.bitmask(passing); left !== 0; left &= left - 1)
      offer(search, block, slot + ctz(left), load<f32>(lanes + (<usize>ctz(left) << 2)));
    v128.store(lanes, untouched);
  }
}

function offer(search: usize, block: usize, slot: u32, score: f32): void {
  const ord = load<u32>(ordsOf(block) + (<usize>slot << 2));
  if (ord === NO_ORD || !passes(search, ord)) return;
  const entries = <usize>load<u32>(search, S_ENTRIES);
  const held = load<u32>(search, S_HELD);
  const entry = entryOf(score, ord);
  if (held < load<u32>(search, S_K)) {
    pushEntry(entries, held, entry);
    store<u32>(search, held + 1, S_HELD);
    if (held + 1 < load<u32>(search, S_K)) return;
  } else if (entry > load<u64>(entries)) replaceWorst(entries, held, entry);
  store<f32>(search, scoreOf(load<u64>(entries)), S_BAR);
}

function passes(search: usize, ord: u32): bool {
  const words = load<u32>(search, S_WORDS);
  if (words === ALL) return true;
  if (ord >> 5 >= words) return false;
  return (load<u32>(<usize>load<u32>(search, S_BITMAP) + (<usize>(ord >> 5) << 2)) >> (ord & 31) & 1) !== 0;
}
