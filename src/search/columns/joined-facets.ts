import { compareTexts } from '../filter/index.ts';
import { readEach } from '../parts/index.ts';
import type { Facet, Tally, ValueCount } from './contract.ts';

/** The best values of each part are the first candidates: so many times the limit, and some more. */
const CANDIDATES = 2;
const SPARE = 16;

/** The facet of several parts with different documents, from the tally of each, if the field has many values. */
export function joinTallies(tallies: readonly Tally[],
  { orderBy, limit }: Pick<Facet, 'orderBy' | 'limit'>): ValueCount[]
{
  if (orderBy === 'value') return firstOf(addedUp(tallies, limit), limit);
  if (limit > 0) return bestByCount(tallies, limit);
  // Equal counts stay in the order of values.
  return addedUp(tallies, 0).sort((a, b) => b.count - a.count);
}

function firstOf(counts: ValueCount[], limit: number): ValueCount[] {
  return limit === 0 ? counts : counts.slice(0, limit);
}

/**
 * The counts of values in all parts, by value. With a limit, of the first so many values of each part, among which are
 * the first of all.
 */
function addedUp(tallies: readonly Tally[], limit: number): ValueCount[] {
  // A sort recognizes the runs that are in order already, and merges them.
  const listed = readEach(tallies, (tally) => tally.best('value', limit)).flat().sort((a, b) =>
    compareTexts(a.value, b.value)
  );
  const sums: ValueCount[] = [];
  for (const { value, count } of listed) {
    const last = sums.at(-1);
    if (last?.value === value) sums[sums.length - 1] = { value, count: last.count + count };
    else sums.push({ value, count });
  }
  return sums;
}

/**
 * The values that most documents have. The candidates are the best of each part; a value that is in no list has, in
 * each part, at most as many documents as the last one listed there, and none if all are listed. If that does not prove
 * that the best candidates are the best values, because counts are nearly equal, all counts are first added up by the
 * hashes of the values.
 */
function bestByCount(tallies: readonly Tally[], limit: number): ValueCount[] {
  let size = CANDIDATES * limit + SPARE;
  const lists = readEach(tallies, (tally) => tally.best('count', size));
  const best = countedExactly(tallies, lists, limit);
  const others = lists.reduce((sum, list, i) => sum + (list.length < tallies[i]!.size ? list.at(-1)!.count : 0), 0);
  if (others === 0 || (best.length === limit && best.at(-1)!.count > others)) return best;
  const sums = sumsByHash(tallies);
  for (;; size *= CANDIDATES) {
    const found = readEach(tallies, (tally, i) => tally.best('count', size, sums[i]));
    const exact = countedExactly(tallies, found, limit);
    if (found.every((list, i) =>
      list.length < size || list.length === tallies[i]!.size || isBehind(list.at(-1)!, exact, limit)
    ))
      return exact;
  }
}

/** The best of the values in lists, with their documents in all parts. */
function countedExactly(tallies: readonly Tally[], lists: readonly (readonly ValueCount[])[],
  limit: number): ValueCount[]
{
  const values = [...new Set(lists.flatMap((list) => list.map(({ value }) => value)))];
  const counts = readEach(tallies, (tally) => tally.countsOf(values));
  return values.map((value, i) => ({
    value,
    count: counts.reduce((sum, own) => sum + own[i]!, 0),
  })).sort(inOrder).slice(0, limit);
}

/** Whether all values that come after one are behind the best ones. */
function isBehind(last: ValueCount, best: readonly ValueCount[], limit: number): boolean {
  return best.length === limit && inOrder(best.at(-1)!, last) <= 0;
}

function inOrder(a: ValueCount, b: ValueCount): number {
  return b.count - a.count || compareTexts(a.value, b.value);
}

/** For each part, the documents of each of its values in all parts; too many for values with the same hash. */
function sumsByHash(tallies: readonly Tally[]): Uint32Array[] {
  const hashes = readEach(tallies, (tally) => tally.hashes());
  const values = hashes.reduce((sum, { length }) => sum + length, 0);
  const bits = Math.max(4, 33 - Math.clz32(values));
  const [keys, sums] = [new Uint32Array(1 << bits), new Uint32Array(1 << bits)];
  const mask = keys.length - 1;
  // A place without documents is free.
  const placeOf = (hash: number): number => {
    let place = Math.imul(hash, 0x9e3779b1) >>> (32 - bits);
    while (sums[place] !== 0 && keys[place] !== hash) place = (place + 1) & mask;
    return place;
  };
  const places = tallies.map(({ counts }, i) =>
    hashes[i]!.map((hash, j) => {
      const place = placeOf(hash);
      keys[place] = hash;
      sums[place]! += counts[j]!;
      return place;
    })
  );
  return places.map((each) => each.map((place) => sums[place]!));
}
