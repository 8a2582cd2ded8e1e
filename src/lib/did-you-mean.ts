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
 * Optimal string alignment distance (insert, delete, replace, swap of neighbours), computed with the usual table, of
 * which three rows are kept; that of spelling (`src/search/spelling/spelling-index.ts`) works on arrays without
 * allocating, which a few names do not need. Returns `limit` at once if the lengths differ by `limit` or more.
 */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      row.push(cost);
    }
    [before, previous] = [previous, row];
  }
  return previous[b.length]!;
}

/**
 * Whether the edit distance of two words (insertions, deletions and substitutions of characters) is at most a limit
 * (Wagner and Fischer, 1974). A swap of neighbours counts as two, as it does in the kernel that finds forms by distance
 * (`asm/inverted/fuzzy.ts`), so that highlights and matches agree. Spelling and hints for mistyped names count a swap
 * as one (`src/search/spelling/spelling-index.ts`, `closest`), because it is a frequent mistake in typing.
 */
export function withinEdits(from: readonly string[], to: readonly string[], edits: number): boolean {
  if (Math.abs(from.length - to.length) > edits) return false;
  let above = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 0; i < from.length; i++) {
    const row = [i + 1];
    let least = i + 1;
    for (let j = 0; j < to.length; j++) {
      const distance = Math.min(above[j]! + Number(from[i] !== to[j]), above[j + 1]! + 1, row[j]! + 1);
      least = Math.min(least, row[j + 1] = distance);
    }
    if (least > edits) return false;
    above = row;
  }
  return above.at(-1)! <= edits;
}
