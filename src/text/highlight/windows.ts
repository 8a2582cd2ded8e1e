/** A place of the text that a query matched, in bytes. */
export interface Hit {
  readonly start: number;
  readonly end: number;
  /** What matched, each once. */
  readonly terms: readonly string[];
}

/** A stretch of the text with the hits it shows; hits are `hits[first] .. hits[last - 1]`. */
export interface Window {
  readonly first: number;
  readonly last: number;
}

/**
 * The best places to cut fragments from: windows of at most `size` bytes from the start of the first hit
 * to the end of the last, ranked by the number of distinct terms, then of hits, then by place; no two
 * share a hit. Gives at most `count`, in document order. A hit that is longer than the size stands alone.
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
  // A window that begins later never ends earlier, so two that overlap share an end of one.
  const isFree = (first: number): boolean => taken[first] === 0 && taken[ranks.lasts[first]! - 1] === 0;
  if (count <= FEW) {
    for (let best = bestOf(ranks, isFree); best !== undefined && chosen.length < count; best = bestOf(ranks, isFree)) take(best);
  } else {
    for (const first of [...hits.keys()].sort((a, b) => compare(ranks, a, b))) if (chosen.length < count && isFree(first)) take(first);
  }
  return chosen.sort((a, b) => a.first - b.first);
}

/** So few windows are found by as many passes over all, which takes less time than to put them in order. */
const FEW = 8;

/** By the hit that a window may begin with: behind its last hit, and how many distinct terms it has. */
interface Ranks {
  readonly lasts: Uint32Array;
  readonly terms: Uint32Array;
}

function bestOf(ranks: Ranks, isFree: (first: number) => boolean): number | undefined {
  let best: number | undefined;
  for (let first = 0; first < ranks.lasts.length; first++) if ((best === undefined || compare(ranks, first, best) < 0) && isFree(first)) best = first;
  return best;
}

/** Below 0 when the window that begins with the first of two hits is the better one. */
function compare({ lasts, terms }: Ranks, a: number, b: number): number {
  return terms[b]! - terms[a]! || (lasts[b]! - b) - (lasts[a]! - a) || a - b;
}

/** One window for each hit that it may begin with; linear, by two pointers. */
function rank(hits: readonly Hit[], size: number): Ranks {
  const numbers = new Map<string, number>();
  /** By the number of a term: how often the window at hand has it. */
  const counts: number[] = [];
  const numbersOf = hits.map(({ terms }) => terms.map((term) => {
    let number = numbers.get(term);
    if (number === undefined) {
      numbers.set(term, number = counts.length);
      counts.push(0);
    }
    return number;
  }));
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
