/** A range of the text that a query matched, in bytes. */
export interface Hit {
  readonly start: number;
  readonly end: number;
  /** The distinct matched terms. */
  readonly terms: readonly string[];
}

/** A part of the text with the hits that it shows: `hits[first] .. hits[last - 1]`. */
export interface Window {
  readonly first: number;
  readonly last: number;
}

/**
 * The best windows for fragments: windows of at most `size` bytes from the start of the first hit to the end of the
 * last, ranked by the number of distinct terms, then of hits, then by position; no two share a hit. Returns at most
 * `count`, in document order. A hit that is longer than `size` has a window of its own.
 *
 * @param hits in order, not overlapping
 */
export function chooseWindows(hits: readonly Hit[], size: number, count: number): Window[] {
  const ranks = rank(hits, size);
  const chosen: Window[] = [];
  const taken = new Uint8Array(hits.length);
  const take = (first: number): void => {
    const last = ranks.lasts[first]!;
    taken.fill(1, first, last);
    chosen.push({ first, last });
  };
  // A window that begins later never ends earlier, so if two windows overlap, one contains the first or last hit of the
  // other.
  const isFree = (first: number): boolean => taken[first] === 0 && taken[ranks.lasts[first]! - 1] === 0;
  if (count <= FEW) {
    for (let best = bestOf(ranks, isFree); best !== undefined && chosen.length < count; best = bestOf(ranks, isFree))
      take(best);
  } else {
    for (const first of [...hits.keys()].sort((a, b) => compare(ranks, a, b)))
      if (chosen.length < count && isFree(first)) take(first);
  }
  return chosen.sort((a, b) => a.first - b.first);
}

/** Up to this number of windows, one pass over all hits per window takes less time than sorting. */
const FEW = 8;

/** By the first hit of a window: the end of its hits, and the number of distinct terms. */
interface Ranks {
  readonly lasts: Uint32Array;
  readonly terms: Uint32Array;
}

function bestOf(ranks: Ranks, isFree: (first: number) => boolean): number | undefined {
  let best: number | undefined;
  for (let first = 0; first < ranks.lasts.length; first++)
    if ((best === undefined || compare(ranks, first, best) < 0) && isFree(first)) best = first;
  return best;
}

/** Negative if the window that begins with hit `a` is the better one. */
function compare({ lasts, terms }: Ranks, a: number, b: number): number {
  return terms[b]! - terms[a]! || (lasts[b]! - b) - (lasts[a]! - a) || a - b;
}

/** One window for each first hit; in linear time, with two pointers. */
function rank(hits: readonly Hit[], size: number): Ranks {
  const numbers = new Map<string, number>();
  /** By number of a term: its frequency in the current window. */
  const counts: number[] = [];
  const numbersOf = hits.map(({ terms }) =>
    terms.map((term) => {
      let number = numbers.get(term);
      if (number === undefined) {
        numbers.set(term, number = counts.length);
        counts.push(0);
      }
      return number;
    })
  );
  const ranks: Ranks = { lasts: new Uint32Array(hits.length), terms: new Uint32Array(hits.length) };
  let distinct = 0;
  let last = 0;
  for (let first = 0; first < hits.length; first++) {
    const { start } = hits[first]!;
    while (last < hits.length && (last === first || hits[last]!.end - start <= size)) {
      for (const number of numbersOf[last]!) if (++counts[number]! === 1) distinct++;
      last++;
    }
    ranks.lasts[first] = last;
    ranks.terms[first] = distinct;
    for (const number of numbersOf[first]!) if (--counts[number]! === 0) distinct--;
  }
  return ranks;
}
