/**
 * Whether the edit distance of two words (insertions, deletions and substitutions of characters) is at most a limit
 * (Wagner and Fischer, 1974). A swap of neighbours counts as two, as it does in the kernel that finds forms by distance
 * (`asm/inverted/fuzzy.ts`), so that highlights and matches agree. Spelling and hints for mistyped names count a swap
 * as one (`src/search/spelling/spelling-index.ts`, `did-you-mean.ts`), because it is a frequent mistake in typing.
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
