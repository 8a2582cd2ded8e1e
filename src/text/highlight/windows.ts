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
  const chosen: Window[] = [];
  const taken = new Uint8Array(hits.length);
  for (const { first, last } of rank(hits, size)) {
    if (chosen.length >= count) break;
    // A window that begins later never ends earlier, so two that overlap share an end of this one.
    if (taken[first] || taken[last - 1]) continue;
    taken.fill(1, first, last);
    chosen.push({ first, last });
  }
  return chosen.sort((a, b) => a.first - b.first);
}

interface Candidate extends Window {
  readonly terms: number;
}

/** One window for each hit that it may begin with; linear, by two pointers. */
function rank(hits: readonly Hit[], size: number): Candidate[] {
  const counts = new Map<string, number>();
  const candidates: Candidate[] = [];
  let last = 0;
  for (const [first, { start, terms }] of hits.entries()) {
    while (last < hits.length && (last === first || hits[last]!.end - start <= size)) {
      for (const term of hits[last]!.terms) counts.set(term, (counts.get(term) ?? 0) + 1);
      last++;
    }
    candidates.push({ first, last, terms: counts.size });
    for (const term of terms) {
      const left = counts.get(term)! - 1;
      if (left === 0) counts.delete(term);
      else counts.set(term, left);
    }
  }
  return candidates.sort((a, b) => b.terms - a.terms || (b.last - b.first) - (a.last - a.first) || a.first - b.first);
}
