/**
 * The candidate that is most likely meant by a misspelled name, or undefined if none is close: at
 * most a third of its letters may differ. Letter case and `-`, `_`, `.` do not count as differences.
 * The first of equally close candidates wins.
 */
export function closest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(name);
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, plain(candidate), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** `; did you mean X?` for the end of a message, empty if no candidate is close. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const found = closest(name, candidates);
  return found === undefined ? '' : `; did you mean ${found}?`;
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_.]/g, '');

/**
 * Whether the edit distance of two words is at most a limit. The kernel that finds forms by distance
 * (`asm/inverted/fuzzy.ts`) has the same distance, so that highlights and matches agree.
 */
export function withinEdits(from: readonly string[], to: readonly string[], edits: number): boolean {
  return editDistance(from, to, edits + 1) <= edits;
}

/**
 * Optimal string alignment distance (insert, delete, replace, swap of neighbours), computed with the usual table, of
 * which three rows are kept; that of spelling (`src/search/spelling/spelling-index.ts`) works on arrays without
 * allocating, which a few names do not need. Returns `limit` at once if it is at least that.
 */
function editDistance(a: ArrayLike<string>, b: ArrayLike<string>, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  let leastBefore = 0;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      row.push(cost);
      least = Math.min(least, cost);
    }
    // A swap continues the row before the last.
    if (least >= limit && leastBefore + 1 >= limit) return limit;
    [before, previous, leastBefore] = [previous, row, least];
  }
  return previous[b.length]!;
}
