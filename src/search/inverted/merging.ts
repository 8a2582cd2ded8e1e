import type { Hit } from './contract.ts';

/** Whether a hit comes before another one: by score, then by ordinal. */
function isBefore(a: Hit, b: Hit): boolean {
  return a.score > b.score || (a.score === b.score && a.ord < b.ord);
}

/** The best `limit` hits of several lists, whose hits are in order, and how many of them are of each list. */
export function bestOfAll(lists: readonly (readonly Hit[])[],
  limit: number): { readonly hits: Hit[]; readonly taken: number[] }
{
  const taken = lists.map(() => 0);
  const hits: Hit[] = [];
  while (hits.length < limit) {
    let first = -1;
    for (let i = 0; i < lists.length; i++) {
      const next = lists[i]![taken[i]!];
      if (next !== undefined && (first < 0 || isBefore(next, lists[first]![taken[first]!]!))) first = i;
    }
    if (first < 0) break;
    hits.push(lists[first]![taken[first]!++]!);
  }
  return { hits, taken };
}

/** The union of bitmaps by ordinal, in `spare` if that has the right length. */
export function union(bitmaps: readonly Uint32Array[], spare: Uint32Array | undefined): Uint32Array {
  const length = Math.max(...bitmaps.map((bitmap) => bitmap.length));
  const all = spare?.length === length ? spare.fill(0) : new Uint32Array(length);
  for (const bitmap of bitmaps) {
    const { length: own } = bitmap;
    for (let i = 0; i < own; i++) all[i]! |= bitmap[i]!;
  }
  return all;
}
