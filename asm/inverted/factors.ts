// The factors by which reranking has recently multiplied the scores of documents. With them, the next page of results
// and a repeated query need no positions.
//
// Instead of a factor that was not needed, an upper bound of it is stored, as a negative number.
//
// A factor belongs to a document, and to a description of words, weights and the average length. Factors of
// deleted documents are never looked up; compaction forgets all. An entry is a u64 name and the factor, f64; entries
// are in sets of four.
//
// The lowest byte of a name is the epoch, which changes when all are forgotten: entries of other epochs are free. So
// the table, of 32 MB, is not cleared when it is made, which would block the first search for 25 ms.

import { H_FACTOR_EPOCH, H_FACTORS } from './layout.ts';
import { mix } from './mixing.ts';
import { B_FACTORS, buffer, reserveUncleared, shrink } from './scratch.ts';

// At H_FACTORS: entries (a power of two), and how often a factor was to be stored where another one was; the epoch, 1
// to 255, is apart.
const ENTRIES: usize = 0;
const WANTED: usize = 4;
const EPOCHS: u32 = 256;

const ENTRY: u32 = 16;
const SET: usize = 64;
const LEAST_BYTES: u32 = 1 << 16;
/**
 * One of this many factors that collide with a stored one replaces it: if all did, alternating queries would find none.
 */
const ADMITTED: u32 = 4;

/** Makes a table of at most `most` bytes; if its size changes, all factors are forgotten. */
export function openFactors(most: u32): void {
  const entries: u32 = most < LEAST_BYTES ? 0 : (<u32>1 << (31 - clz(most))) / ENTRY;
  if (entries === load<u32>(H_FACTORS, ENTRIES)) return;
  shrink(B_FACTORS, 0);
  store<u32>(H_FACTORS, entries, ENTRIES);
  if (entries === 0) return;
  reserveUncleared(B_FACTORS, entries * ENTRY);
  forgetFactors();
}

/** Forgets all, because documents get other numbers. When the epochs begin again, entries of the same one may exist. */
export function forgetFactors(): void {
  const epoch = load<u32>(H_FACTOR_EPOCH) + 1;
  store<u32>(H_FACTOR_EPOCH, epoch < EPOCHS ? epoch : 1);
  if (epoch === EPOCHS) memory.fill(buffer(B_FACTORS), 0, <usize>load<u32>(H_FACTORS, ENTRIES) * ENTRY);
}

/** The name of a query's factors, made of numbers (u32) that describe the query. */
export function hashOfQuery(from: usize, to: usize): u64 {
  let hash: u64 = 0;
  for (let at = from; at < to; at += 4) hash = mix(hash) ^ <u64>load<u32>(at);
  return mix(hash);
}

/** The name of a document's factor. Two have the same name with a probability of 2^-56. */
export function nameOf(query: u64, doc: u32): u64 {
  return (mix(query + <u64>doc) << 8) | <u64>load<u32>(H_FACTOR_EPOCH);
}

/** A factor, or an upper bound of it, negated; 0 if neither is stored. */
export function findFactor(name: u64): f64 {
  if (load<u32>(H_FACTORS, ENTRIES) === 0) return 0;
  const set = setOf(name);
  for (let entry = set; entry < set + SET; entry += ENTRY) if (load<u64>(entry) === name) return load<f64>(entry, 8);
  return 0;
}

export function keepFactor(name: u64, factor: f64): void {
  if (load<u32>(H_FACTORS, ENTRIES) === 0) return;
  const set = setOf(name);
  let entry = set;
  while (entry < set + SET && load<u64>(entry) !== name && <u32>load<u8>(entry) === load<u32>(H_FACTOR_EPOCH))
    entry += ENTRY;
  if (entry === set + SET) {
    const wanted = load<u32>(H_FACTORS, WANTED) + 1;
    store<u32>(H_FACTORS, wanted, WANTED);
    if (wanted % ADMITTED !== 0) return;
    entry = set + (<usize>(name >> 8) & (SET - ENTRY));
  }
  store<u64>(entry, name);
  store<f64>(entry, factor, 8);
}

function setOf(name: u64): usize {
  return buffer(B_FACTORS) +
    <usize>(<u32>(name >> 32) & (load<u32>(H_FACTORS, ENTRIES) / (<u32>SET / ENTRY) - 1)) * SET;
}
