// Orders of a column's values: the sorted numbers, and the rank of each, by which documents are sorted. An order is
// made when it is first used. New values wait behind the sorted ones until it is used again; then they are sorted and
// merged in. All of that is done in steps (`advanceOrder`), so that a million values do not block everything else. The
// file has more than 400 lines because finding, sorting, merging and ranking are four phases of one job that share its
// record.
//
//     order, 28 bytes: u32 numbers (sorted, then waiting)   u32 their capacity   u32 sorted   u32 waiting
//                      u32 ranks by value, 0 for an order that has not been used   u32 their capacity   u32 job
//     A sorted number has bit 31 if its value equals the one before; equal values have the rank of the first of them.
// job, 40 bytes: u32 phase u32 values u32 width u32 at u32 left u32 right u32 from u32 to u32 merged u32 room
//
// Jobs list the new values, sort them by merging (from one array to another and back), merge the result into a copy of
// the sorted numbers, and assign ranks. A job can stop in the middle of each of these phases, which also makes the file
// long.

import { compareBytes, wordAt } from '../inverted/bytes.ts';
import { C_NEXT, C_ORDERS, C_VALUES, FLAG, isValue, lengthOf, partLength, partOf, R_MOMENT, R_TEXT,
  recordAt } from './dictionary.ts';
import { PART_DICTIONARIES } from './layout.ts';
import { allocate, allocateZeroed, release, resize } from './memory.ts';

const ORDER: usize = 28;
const O_ROOM: usize = 4;
const O_SORTED: usize = 8;
const O_WAITING: usize = 12;
const O_RANKS: usize = 16;
const O_RANK_ROOM: usize = 20;
const O_JOB: usize = 24;

const JOB: u32 = 40;
const J_COUNT: usize = 4;
const J_WIDTH: usize = 8;
const J_AT: usize = 12;
const J_LEFT: usize = 16;
const J_RIGHT: usize = 20;
const J_FROM: usize = 24;
const J_TO: usize = 28;
const J_MERGED: usize = 32;
const J_ROOM: usize = 36;
/** What a job sorts: a hint, which decides most comparisons, and the value. */
const ITEM: usize = 16;
const I_VALUE: usize = 8;
const P_SORT: u32 = 0;
const P_MERGE: u32 = 1;
const P_RANK: u32 = 2;
const P_LIST: u32 = 3;
const P_FIND: u32 = 4;

/** What an order compares: whole texts; parts; or moments (numbers and dates, before everything else), then parts. */
export const BY_TEXT: u32 = 0;
export const BY_PART: u32 = 1;
export const BY_MOMENT: u32 = 2;

/** Address of an order of a column; `number` is 0 or 1. */
export function orderAt(column: usize, number: u32): usize {
  return column + C_ORDERS + <usize>number * ORDER;
}

/** Ranks by value, of an order that is ready. */
export function ranksOf(order: usize): usize {
  return load<u32>(order, O_RANKS);
}

export function rankOf(ranks: usize, value: u32): u32 {
  return load<u32>(ranks + (<usize>value << 2));
}

/** Whether all values have their ranks. */
export function isReady(order: usize): bool {
  return load<u32>(order, O_RANKS) !== 0 && load<u32>(order, O_WAITING) === 0 && load<u32>(order, O_JOB) === 0;
}

/** Adds a new value to the orders of its column. */
export function addToOrders(column: usize, value: u32): void {
  for (let number: u32 = 0; number < 2; number++) {
    const order = orderAt(column, number);
    if (load<u32>(order, O_RANKS) !== 0 && !willBeFound(order, value)) wait(order, value);
  }
}

/** Forgets the orders of a column. */
export function closeOrders(column: usize): void {
  for (let number: u32 = 0; number < 2; number++) {
    const order = orderAt(column, number);
    if (load<u32>(order, O_RANKS) === 0) continue;
    closeJob(order);
    release(load<u32>(order), load<u32>(order, O_ROOM) << 2, PART_DICTIONARIES);
    release(load<u32>(order, O_RANKS), load<u32>(order, O_RANK_ROOM) << 2, PART_DICTIONARIES);
    memory.fill(order, 0, ORDER);
  }
}

/** Continues to make an order, for about `budget` comparisons. Returns whether there is more to do. */
export function advanceOrder(column: usize, number: u32, kind: u32, budget: i32): bool {
  const order = orderAt(column, number);
  if (load<u32>(order, O_RANKS) === 0) openOrder(column, order);
  while (!isReady(order)) {
    if (budget <= 0) return true;
    if (load<u32>(order, O_JOB) === 0) openJob(order);
    const job = <usize>load<u32>(order, O_JOB);
    const phase = load<u32>(job);
    if (phase === P_FIND) budget = findSome(column, order, job, budget);
    else if (phase === P_LIST) budget = listSome(column, order, job, kind, budget);
    else if (phase === P_SORT) budget = sortSome(column, job, kind, budget);
    else if (phase === P_MERGE) budget = mergeSome(column, order, job, kind, budget);
    else budget = rankSome(column, order, job, budget);
  }
  return false;
}

/** Whether the value at a place equals the one before. */
export function equalsFormer(order: usize, index: u32): bool {
  return (load<u32>(<usize>load<u32>(order) + (<usize>index << 2)) & FLAG) !== 0;
}

export function sortedCount(order: usize): u32 {
  return load<u32>(order, O_SORTED);
}

/** The value at a place of an order. */
export function sortedAt(order: usize, index: u32): u32 {
  assert(index < load<u32>(order, O_SORTED), 'a place behind the end');
  return numberAt(load<u32>(order), index);
}

/** Number of sorted values before a mark, or up to it if `including`: a moment, or a text if the moment is NaN. */
export function placeInOrder(column: usize, number: u32, kind: u32, moment: f64, text: usize, length: u32,
  including: bool): u32
{
  const order = orderAt(column, number);
  const numbers = <usize>load<u32>(order);
  const most = including ? 0 : -1;
  let low: u32 = 0;
  let high = load<u32>(order, O_SORTED);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareWith(recordAt(column, numberAt(numbers, middle)), kind, moment, text, length) <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Compares two values. */
export function compareValues(a: usize, b: usize, kind: u32): i32 {
  if (kind === BY_TEXT) return compareBytes(load<u32>(a, R_TEXT), lengthOf(a), load<u32>(b, R_TEXT), lengthOf(b));
  return compareWith(a, kind, kind === BY_MOMENT ? load<f64>(b, R_MOMENT) : NaN, partOf(b), partLength(b));
}

/** Compares a value with a mark. */
function compareWith(record: usize, kind: u32, moment: f64, text: usize, length: u32): i32 {
  if (kind === BY_TEXT) return compareBytes(load<u32>(record, R_TEXT), lengthOf(record), text, length);
  if (kind === BY_MOMENT) {
    const own = bounded(load<f64>(record, R_MOMENT));
    const other = bounded(moment);
    const isMoment = own === own;
    if (isMoment !== (other === other)) return isMoment ? -1 : 1;
    if (isMoment) return own < other ? -1 : <i32>(own > other);
  }
  return compareBytes(partOf(record), partLength(record), text, length);
}

/** Limits a number to finite ones; sort values are never infinite. */
function bounded(moment: f64): f64 {
  return max(-f64.MAX_VALUE, min(f64.MAX_VALUE, moment));
}

/** A hint, the first bits of what an order compares: values whose hints differ are in the order of their hints. */
function hintOf(record: usize, kind: u32): u64 {
  if (kind === BY_MOMENT) {
    const moment = bounded(load<f64>(record, R_MOMENT));
    if (moment === moment) {
      const bits = reinterpret<u64>(moment + 0.0);
      return ((bits >> 63) !== 0 ? ~bits : bits | (<u64>1 << 63)) >> 1;
    }
  }
  const text = kind === BY_TEXT ? <usize>load<u32>(record, R_TEXT) : partOf(record);
  const word = bswap<u64>(wordAt(text, kind === BY_TEXT ? lengthOf(record) : partLength(record)));
  return kind === BY_MOMENT ? (word >> 1) | (<u64>1 << 63) : word;
}

function numberAt(numbers: usize, index: u32): u32 {
  return load<u32>(numbers + (<usize>index << 2)) & ~FLAG;
}

function wait(order: usize, value: u32): void {
  const index = load<u32>(order, O_SORTED) + load<u32>(order, O_WAITING);
  const room = load<u32>(order, O_ROOM);
  if (index === room) {
    const wider = max(room + (room >> 1), 16);
    store<u32>(order, <u32>resize(load<u32>(order), room << 2, wider << 2, PART_DICTIONARIES));
    store<u32>(order, wider, O_ROOM);
  }
  store<u32>(<usize>load<u32>(order) + (<usize>index << 2), value);
  store<u32>(order, load<u32>(order, O_WAITING) + 1, O_WAITING);
}

function openOrder(column: usize, order: usize): void {
  const next = load<u32>(column, C_NEXT);
  store<u32>(order, <u32>allocateZeroed(max(next, 16) << 2, PART_DICTIONARIES), O_RANKS);
  store<u32>(order, max(next, 16), O_RANK_ROOM);
  const room = load<u32>(column, C_VALUES) + 16;
  store<u32>(order, <u32>allocate(room << 2, PART_DICTIONARIES));
  store<u32>(order, room, O_ROOM);
  const job = allocateZeroed(JOB, PART_DICTIONARIES);
  store<u32>(job, P_FIND);
  store<u32>(job, 1, J_AT);
  store<u32>(order, <u32>job, O_JOB);
}

/** Whether the values of a new order are still being found, and this value will be. */
function willBeFound(order: usize, value: u32): bool {
  const job = <usize>load<u32>(order, O_JOB);
  return job !== 0 && load<u32>(job) === P_FIND && value >= load<u32>(job, J_AT);
}

/** Continues to find the values of a new order; returns the rest of the budget. */
function findSome(column: usize, order: usize, job: usize, budget: i32): i32 {
  const next = load<u32>(column, C_NEXT);
  let at = load<u32>(job, J_AT);
  for (; at < next && budget > 0; at++) {
    if (isValue(recordAt(column, at))) wait(order, at);
    budget--;
  }
  store<u32>(job, at, J_AT);
  if (at === next) closeJob(order);
  return budget;
}

function openJob(order: usize): void {
  const count = load<u32>(order, O_WAITING);
  const job = allocateZeroed(JOB, PART_DICTIONARIES);
  const from = allocate(count * <u32>ITEM, PART_DICTIONARIES);
  store<u32>(job, count, J_COUNT);
  store<u32>(job, 1, J_WIDTH);
  store<u32>(job, P_LIST);
  store<u32>(job, <u32>from, J_FROM);
  store<u32>(job, <u32>allocate(count * <u32>ITEM, PART_DICTIONARIES), J_TO);
  store<u32>(order, <u32>job, O_JOB);
}

function closeJob(order: usize): void {
  const job = <usize>load<u32>(order, O_JOB);
  if (job === 0) return;
  const bytes = load<u32>(job, J_COUNT) * <u32>ITEM;
  release(load<u32>(job, J_FROM), bytes, PART_DICTIONARIES);
  release(load<u32>(job, J_TO), bytes, PART_DICTIONARIES);
  release(load<u32>(job, J_MERGED), load<u32>(job, J_ROOM) << 2, PART_DICTIONARIES);
  release(job, JOB, PART_DICTIONARIES);
  store<u32>(order, 0, O_JOB);
}

// ---- Sorting

/** Continues to list the waiting values with their hints; returns the rest of the budget. */
function listSome(column: usize, order: usize, job: usize, kind: u32, budget: i32): i32 {
  const waiting = <usize>load<u32>(order) + (<usize>load<u32>(order, O_SORTED) << 2);
  const from = <usize>load<u32>(job, J_FROM);
  const count = load<u32>(job, J_COUNT);
  let at = load<u32>(job, J_AT);
  for (; at < count && budget > 0; at++) {
    const value = load<u32>(waiting + (<usize>at << 2));
    store<u64>(from + at * ITEM, hintOf(recordAt(column, value), kind));
    store<u32>(from + at * ITEM, value, I_VALUE);
    budget -= 4;
  }
  store<u32>(job, at, J_AT);
  if (at < count) return budget;
  store<u32>(job, P_SORT);
  startPair(job, 0);
  return budget;
}

function startPair(job: usize, at: u32): void {
  const count = load<u32>(job, J_COUNT);
  store<u32>(job, at, J_AT);
  store<u32>(job, at, J_LEFT);
  store<u32>(job, min(at + load<u32>(job, J_WIDTH), count), J_RIGHT);
}

/** Continues to merge pairs of runs; returns the rest of the budget. */
function sortSome(column: usize, job: usize, kind: u32, budget: i32): i32 {
  const count = load<u32>(job, J_COUNT);
  const width = load<u32>(job, J_WIDTH);
  if (width >= count) {
    store<u32>(job, P_MERGE);
    store<u32>(job, 0, J_AT);
    store<u32>(job, 0, J_LEFT);
    return budget;
  }
  const from = <usize>load<u32>(job, J_FROM);
  const to = <usize>load<u32>(job, J_TO);
  while (budget > 0 && load<u32>(job, J_AT) < count) budget = mergePair(column, job, kind, from, to, budget);
  if (load<u32>(job, J_AT) >= count) {
    store<u32>(job, <u32>to, J_FROM);
    store<u32>(job, <u32>from, J_TO);
    store<u32>(job, width * 2, J_WIDTH);
    startPair(job, 0);
  }
  return budget;
}

function mergePair(column: usize, job: usize, kind: u32, from: usize, to: usize, budget: i32): i32 {
  const count = load<u32>(job, J_COUNT);
  const width = load<u32>(job, J_WIDTH);
  const at = load<u32>(job, J_AT);
  const middle = min(at + width, count);
  const end = min(middle + width, count);
  let left = load<u32>(job, J_LEFT);
  let right = load<u32>(job, J_RIGHT);
  while (left < middle && right < end && budget > 0) {
    const a = from + left * ITEM;
    const b = from + right * ITEM;
    const place = to + (left + right - middle) * ITEM;
    const hint = load<u64>(a);
    const other = load<u64>(b);
    budget--;
    let isFirst = hint < other;
    if (hint === other) {
      isFirst =
        compareValues(recordAt(column, load<u32>(a, I_VALUE)), recordAt(column, load<u32>(b, I_VALUE)), kind) <= 0;
      budget -= 7;
    }
    v128.store(place, isFirst ? v128.load(a) : v128.load(b));
    left += <u32>isFirst;
    right += <u32>!isFirst;
  }
  store<u32>(job, left, J_LEFT);
  store<u32>(job, right, J_RIGHT);
  if (left < middle && right < end) return budget;
  const place = to + (left + right - middle) * ITEM;
  if (left < middle) memory.copy(place, from + left * ITEM, (middle - left) * ITEM);
  else memory.copy(place, from + right * ITEM, (end - right) * ITEM);
  startPair(job, end);
  return budget;
}

// ---- Merging the new values into the sorted ones: J_AT new ones and J_LEFT old ones are merged already

function mergeSome(column: usize, order: usize, job: usize, kind: u32, budget: i32): i32 {
  const sorted = load<u32>(order, O_SORTED);
  const count = load<u32>(job, J_COUNT);
  if (load<u32>(job, J_MERGED) === 0) {
    const room = sorted + load<u32>(order, O_WAITING) + (load<u32>(order, O_WAITING) >> 1) + 16;
    store<u32>(job, room, J_ROOM);
    store<u32>(job, <u32>allocate(room << 2, PART_DICTIONARIES), J_MERGED);
    store<u32>(job, sorted, J_RIGHT);
  }
  const numbers = <usize>load<u32>(order);
  const fresh = <usize>load<u32>(job, J_FROM);
  const merged = <usize>load<u32>(job, J_MERGED);
  let at = load<u32>(job, J_AT);
  let left = load<u32>(job, J_LEFT);
  while (at < count && budget > 0) {
    const value = load<u32>(fresh + at * ITEM, I_VALUE);
    const record = recordAt(column, value);
    const place = behindValue(column, numbers, left, sorted, record, kind);
    memory.copy(merged + (<usize>(left + at) << 2), numbers + (<usize>left << 2), <usize>(place - left) << 2);
    if (at === 0) store<u32>(job, place, J_RIGHT);
    budget -= 8 + <i32>((place - left) >> 6);
    left = place;
    const to = merged + (<usize>(left + at) << 2);
    const equals = left + at > 0 && compareValues(recordAt(column, load<u32>(to - 4) & ~FLAG), record, kind) === 0;
    store<u32>(to, equals ? value | FLAG : value);
    at++;
  }
  store<u32>(job, at, J_AT);
  store<u32>(job, left, J_LEFT);
  if (at === count) replaceNumbers(column, order, job);
  return budget;
}

/** Place of the first sorted value, from one on, that is behind another one; the search steps double. */
function behindValue(column: usize, numbers: usize, from: u32, sorted: u32, record: usize, kind: u32): u32 {
  let step: u32 = 1;
  let low = from;
  let high = from;
  while (high < sorted && compareValues(recordAt(column, numberAt(numbers, high)), record, kind) <= 0) {
    low = high + 1;
    high = low + step;
    step <<= 1;
  }
  high = min(high, sorted);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareValues(recordAt(column, numberAt(numbers, middle)), record, kind) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Replaces the sorted numbers with the merged ones, followed by the values that were added since the job began. */
function replaceNumbers(column: usize, order: usize, job: usize): void {
  const sorted = load<u32>(order, O_SORTED);
  const count = load<u32>(job, J_COUNT);
  const left = load<u32>(job, J_LEFT);
  const numbers = <usize>load<u32>(order);
  let merged = <usize>load<u32>(job, J_MERGED);
  memory.copy(merged + (<usize>(left + count) << 2), numbers + (<usize>left << 2), <usize>(sorted - left) << 2);
  const later = load<u32>(order, O_WAITING) - count;
  const needed = sorted + count + later;
  if (needed > load<u32>(job, J_ROOM)) {
    merged = resize(merged, load<u32>(job, J_ROOM) << 2, needed << 2, PART_DICTIONARIES);
    store<u32>(job, needed, J_ROOM);
  }
  memory.copy(merged + (<usize>(sorted + count) << 2), numbers + (<usize>(sorted + count) << 2), <usize>later << 2);
  release(numbers, load<u32>(order, O_ROOM) << 2, PART_DICTIONARIES);
  store<u32>(order, <u32>merged);
  store<u32>(order, load<u32>(job, J_ROOM), O_ROOM);
  store<u32>(order, sorted + count, O_SORTED);
  store<u32>(order, later, O_WAITING);
  store<u32>(job, 0, J_MERGED);
  store<u32>(job, P_RANK);
  const next = load<u32>(column, C_NEXT);
  const room = load<u32>(order, O_RANK_ROOM);
  if (next > room) {
    const wider = next + (next >> 2);
    store<u32>(order, <u32>resize(load<u32>(order, O_RANKS), room << 2, wider << 2, PART_DICTIONARIES), O_RANKS);
    store<u32>(order, wider, O_RANK_ROOM);
  }
}

// ---- Ranks, from the first place on at which a value was inserted (J_RIGHT)

function rankSome(column: usize, order: usize, job: usize, budget: i32): i32 {
  const numbers = <usize>load<u32>(order);
  const ranks = <usize>load<u32>(order, O_RANKS);
  const sorted = load<u32>(order, O_SORTED);
  let at = load<u32>(job, J_RIGHT);
  const end = min(sorted, at + (<u32>max(budget, 1) << 2));
  let rank = at === 0 ? 0 : rankOf(ranks, numberAt(numbers, at - 1));
  budget -= <i32>((end - at) >> 2) + 1;
  for (; at < end; at++) {
    const entry = load<u32>(numbers + (<usize>at << 2));
    if ((entry & FLAG) === 0) rank = at;
    store<u32>(ranks + (<usize>(entry & ~FLAG) << 2), rank);
  }
  store<u32>(job, at, J_RIGHT);
  if (at === sorted) closeJob(order);
  return budget;
}
