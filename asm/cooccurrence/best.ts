// The best neighbours of each term. The ratio of how often two terms occur together to how often they would by chance
// is p(a,b) / (p(a) p(b)) = n(a,b) N / (n(a) n(b)), where pairs are counted in both directions: N is twice the number
// of pairs, n(a) the number of pairs with a. The host computes its logarithm, which does not change the order.
//
//     list: f64 largest ratio of the term, including neighbours that are not in the list
//           5 x (u32 term, 0 for none   u32 occurrences of the pair, bit 31: in several documents   f64 ratio)

import { BEST, ENTRY, FIRST, H_PAIRS, H_SLOTS, LISTS, MIN_OCCURRENCES, NEIGHBOURS } from './layout.ts';
import { P_COUNT, P_DOCUMENT, P_LARGER, SEVERAL, slotAt } from './pairs.ts';
import { countOf, growTo, marginalAt } from './terms.ts';

const LIST: usize = FIRST + ENTRY * BEST;
/** Offsets in an entry. */
export const B_COUNT: usize = 4;
export const B_RATIO: usize = 8;

/** Makes the lists of the terms below `end`, after everything is counted. */
export function rank(end: u32): void {
  giveLists(end);
  const pairs = 2 * <f64>load<u64>(H_PAIRS);
  const slots = load<u32>(H_SLOTS);
  for (let i: u32 = 0; i < slots; i++) {
    const slot = slotAt(i);
    const a = load<u32>(slot);
    if (a === 0) continue;
    const b = load<u32>(slot, P_LARGER);
    if (listOf(a) === 0 || listOf(b) === 0) continue;
    const count = load<u32>(slot, P_COUNT);
    const ratio = (<f64>count * pairs) / (<f64>load<u64>(marginalAt(a)) * <f64>load<u64>(marginalAt(b)));
    if (ratio <= 1) continue;
    const seen = count | (load<u32>(slot, P_DOCUMENT) & SEVERAL);
    offer(listOf(a), b, seen, ratio);
    offer(listOf(b), a, seen, ratio);
  }
}

/** Address of the list of a term; 0 for a term that is too rare to have one. */
export function bestOf(term: u32): usize {
  return listOf(term);
}

function giveLists(end: u32): void {
  let at = NEIGHBOURS;
  for (let term: u32 = 1; term < end; term++) {
    const wanted = countOf(term) >= MIN_OCCURRENCES;
    store<u32>(LISTS + (<usize>term << 2), wanted ? <u32>at : 0);
    if (wanted) at += LIST;
  }
  growTo(at);
  memory.fill(NEIGHBOURS, 0, at - NEIGHBOURS);
}

function listOf(term: u32): usize {
  return <usize>load<u32>(LISTS + (<usize>term << 2));
}

/** Inserts a neighbour into a list, if it is good enough; the last one is dropped. */
function offer(list: usize, term: u32, seen: u32, ratio: f64): void {
  if (ratio > load<f64>(list)) store<f64>(list, ratio);
  let at = list + LIST;
  if (!precedes(term, seen, ratio, at - ENTRY)) return;
  at -= ENTRY;
  while (at > list + FIRST && precedes(term, seen, ratio, at - ENTRY)) {
    v128.store(at, v128.load(at - ENTRY));
    at -= ENTRY;
  }
  store<u32>(at, term);
  store<u32>(at, seen, B_COUNT);
  store<f64>(at, ratio, B_RATIO);
}

/** Order: several documents before one, then by ratio, then by occurrences, all descending, then by term. */
function precedes(term: u32, seen: u32, ratio: f64, entry: usize): bool {
  const other = load<u32>(entry);
  if (other === 0) return true;
  const otherSeen = load<u32>(entry, B_COUNT);
  if (((seen ^ otherSeen) & SEVERAL) !== 0) return (seen & SEVERAL) !== 0;
  const otherRatio = load<f64>(entry, B_RATIO);
  if (ratio !== otherRatio) return ratio > otherRatio;
  return seen !== otherSeen ? seen > otherSeen : term < other;
}
