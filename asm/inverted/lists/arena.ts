// The memory of cached lists: consecutive blocks of one run of pages, used as a ring.
//
// Every block starts with:
//
//     0 bytes of the block   4 kind   8 hash (lists) or the list (positions)   12 the last query that used it
//
// Space is made behind the block that was made last: following blocks are evicted until the free space is large enough.
// A block that was used since the last round is skipped once ("second chance"); blocks of the current query are always
// skipped. If blocks must be evicted, only one new block in eight is admitted: otherwise, queries that alternate
// between more terms than fit would find none of them.
//
// Lists are found by a hash of their forms, in sets of four.

import { forgetFactors, openFactors } from '../factors.ts';
import { H_ARENA, H_PARTS, PAGE, PARTS } from '../layout.ts';
import { forgetPlaces, openPlaces } from '../places.ts';
import { B_ARENA, B_LIST_TABLE, buffer, reserve, reserveUncleared, roomOf, shrink } from '../scratch.ts';

// At H_ARENA.
const BYTES: usize = 0;
const NEXT: usize = 4;
const QUERY: usize = 8;
const SETS: usize = 12;
/** Requested blocks that would have evicted others. */
const WANTED: usize = 16;

export const A_BYTES: usize = 0;
export const A_KIND: usize = 4;
export const A_NAME: usize = 8;
export const A_QUERY: usize = 12;
export const BLOCK_HEAD: u32 = 16;

const FREE: u32 = 0;
const LIST: u32 = 1;
const POSITIONS: u32 = 2;
const KIND: u32 = 3;
/** Used since the last round. */
const ASKED: u32 = 4;

/** Of a list: its block of positions; 0 for none. */
export const L_POSITIONS: usize = 16;

const LEAST_ARENA: u32 = PAGE;
/** One of this many requested blocks that would evict others is admitted. */
const ADMITTED: u32 = 8;
const WAYS: u32 = 4;
/** Bytes of the arena for each set of the table. */
const BYTES_PER_SET: u32 = 2048;
/** Smaller rests stay part of the block before them. */
const LEAST_BLOCK: u32 = 64;

/**
 * Begins a query. The arena has half the size of the index, at most `most` bytes. It is replaced by an empty one when
 * that size has grown by half or shrunk by half.
 */
export function openLists(most: u32): void {
  store<u32>(H_ARENA, load<u32>(H_ARENA, QUERY) + 1, QUERY);
  const bytes = min(max(indexBytes() >> 1, LEAST_ARENA), most) & ~15;
  const held = load<u32>(H_ARENA, BYTES);
  if (bytes > held + (held >> 1) || bytes < held >> 1) makeArena(bytes);
  openPlaces(load<u32>(H_ARENA, BYTES) >> 1);
  openFactors(load<u32>(H_ARENA, BYTES) >> 2);
}

function indexBytes(): u32 {
  let bytes: u32 = 0;
  for (let part: u32 = 0; part < PARTS; part++) bytes += load<u32>(H_PARTS + (<usize>part << 2));
  return bytes;
}

export function forgetLists(): void {
  forgetPlaces();
  forgetFactors();
  if (load<u32>(H_ARENA, BYTES) > 0) emptyArena();
}

/** Bytes of the largest block that is worth keeping; 0 if nothing is remembered. */
export function largestBlock(): u32 {
  return load<u32>(H_ARENA, BYTES) >> 2;
}

function makeArena(bytes: u32): void {
  shrink(B_ARENA, 0);
  shrink(B_LIST_TABLE, 0);
  store<u32>(H_ARENA, 0, BYTES);
  if (bytes === 0) return;
  reserveUncleared(B_ARENA, bytes);
  store<u32>(H_ARENA, bytes, BYTES);
  let sets: u32 = 16;
  while (sets < bytes / BYTES_PER_SET) sets <<= 1;
  reserve(B_LIST_TABLE, sets * WAYS * 4);
  store<u32>(H_ARENA, sets, SETS);
  emptyArena();
}

function emptyArena(): void {
  const arena = buffer(B_ARENA);
  makeBlock(arena, load<u32>(H_ARENA, BYTES), FREE, 0);
  store<u32>(H_ARENA, 0, NEXT);
  memory.fill(buffer(B_LIST_TABLE), 0, roomOf(B_LIST_TABLE));
}

// ---- Space ---------------------------------------------------------------------------------

/** A block for a list with a hash, under which it is found from now on; 0 if there is no space. */
export function takeList(bytes: u32, hash: u32): usize {
  const list = take(bytes, LIST, hash);
  if (list !== 0) enter(list, hash);
  return list;
}

/** A block for the positions of a list of the current query; 0 if there is no space. */
export function takePositions(bytes: u32, list: usize): usize {
  const block = take(bytes, POSITIONS, <u32>list);
  if (block !== 0) store<u32>(list, <u32>block, L_POSITIONS);
  return block;
}

/**
 * Whether a block of about `bytes` should be made: yes if there is free space, and now and then if others must be
 * evicted.
 */
export function admits(bytes: u32): bool {
  const at = buffer(B_ARENA) + load<u32>(H_ARENA, NEXT);
  const end = buffer(B_ARENA) + load<u32>(H_ARENA, BYTES);
  if (at < end && load<u32>(at, A_KIND) === FREE && load<u32>(at) >= bytes) return true;
  const wanted = load<u32>(H_ARENA, WANTED) + 1;
  store<u32>(H_ARENA, wanted, WANTED);
  return wanted % ADMITTED === 0;
}

function take(size: u32, kind: u32, name: u32): usize {
  const bytes = (size + 15) & ~15;
  if (bytes > largestBlock()) return 0;
  const arena = buffer(B_ARENA);
  const end = arena + load<u32>(H_ARENA, BYTES);
  let at = arena + load<u32>(H_ARENA, NEXT);
  let start = at;
  // Two rounds: the first may skip blocks that the second evicts.
  for (let left = <u64>load<u32>(H_ARENA, BYTES) * 2 + <u64>bytes; <u32>(at - start) < bytes;) {
    if (at === end) at = start = arena;
    const size = load<u32>(at);
    if (<u64>size > left) return 0;
    left -= <u64>size;
    at += size;
    if (!giveUp(at - size)) start = at;
  }
  const rest = <u32>(at - start) - bytes;
  makeBlock(start, rest < LEAST_BLOCK ? bytes + rest : bytes, kind, name);
  if (rest >= LEAST_BLOCK) makeBlock(start + bytes, rest, FREE, 0);
  store<u32>(H_ARENA, <u32>(start + load<u32>(start) - arena), NEXT);
  touch(start);
  return start;
}

function makeBlock(at: usize, bytes: u32, kind: u32, name: u32): void {
  store<u32>(at, bytes, A_BYTES);
  store<u32>(at, kind, A_KIND);
  store<u32>(at, name, A_NAME);
  store<u32>(at, 0, A_QUERY);
}

/** Notes that the current query uses a block. */
export function touch(block: usize): void {
  store<u32>(block, load<u32>(block, A_KIND) | ASKED, A_KIND);
  store<u32>(block, load<u32>(H_ARENA, QUERY), A_QUERY);
}

/** Frees a block unless it must stay; returns whether it is free. */
function giveUp(block: usize): bool {
  const kind = load<u32>(block, A_KIND);
  if (kind === FREE) return true;
  if (load<u32>(block, A_QUERY) === load<u32>(H_ARENA, QUERY)) return false;
  if ((kind & ASKED) !== 0) {
    store<u32>(block, kind & KIND, A_KIND);
    return false;
  }
  if (kind === LIST) drop(block);
  else dropPositions(load<u32>(block, A_NAME));
  return true;
}

/** Forgets a list and its positions. */
export function drop(list: usize): void {
  dropPositions(list);
  leave(list);
  store<u32>(list, FREE, A_KIND);
}

export function dropPositions(list: usize): void {
  const block = <usize>load<u32>(list, L_POSITIONS);
  if (block !== 0) store<u32>(block, FREE, A_KIND);
  store<u32>(list, 0, L_POSITIONS);
}

// ---- The table -----------------------------------------------------------------------------

/** The set of a hash: four addresses of lists. */
export function setOf(hash: u32): usize {
  return buffer(B_LIST_TABLE) + (<usize>(hash & (load<u32>(H_ARENA, SETS) - 1)) << 4);
}

export function endOfSet(set: usize): usize {
  return set + WAYS * 4;
}

/** Puts a list into its set, and evicts another one if the set is full. */
function enter(list: usize, hash: u32): void {
  const set = setOf(hash);
  let at = set;
  while (at < endOfSet(set) && load<u32>(at) !== 0) at += 4;
  if (at === endOfSet(set)) {
    at = oldestOf(set);
    const former = <usize>load<u32>(at);
    // A list of the current query stays in memory until the query ends, but it is no longer found.
    if (load<u32>(former, A_QUERY) === load<u32>(H_ARENA, QUERY)) store<u32>(at, 0);
    else drop(former);
  }
  store<u32>(at, <u32>list);
}

function oldestOf(set: usize): usize {
  let oldest = set;
  for (let at = set + 4; at < endOfSet(set); at += 4) {
    if (age(load<u32>(at)) > age(load<u32>(oldest))) oldest = at;
  }
  return oldest;
}

function age(list: usize): u32 {
  return load<u32>(H_ARENA, QUERY) - load<u32>(list, A_QUERY);
}

function leave(list: usize): void {
  const set = setOf(load<u32>(list, A_NAME));
  for (let at = set; at < endOfSet(set); at += 4) if (load<u32>(at) === <u32>list) store<u32>(at, 0);
}
