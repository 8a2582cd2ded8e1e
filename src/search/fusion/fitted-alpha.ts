/** Best documents of a side that are compared with those of the other. */
const COMPARED = 10;

/**
 * The weight of meaning where both sides have some of their best documents in common, and where they have none: the best of a grid over all
 * judged sets together. `node fit-fusion.ts` in bench/ fits them to one half of each set and measures them on the other.
 */
export const WEIGHTS = { agreed: 0.2, disagreed: 0.6 } as const;

/**
 * The weight of meaning where nobody names one (decision D-149), by the ordinals of what both sides found, best first. Words that
 * name what is looked for find documents that meaning finds, too, and order them better. Where the two have nothing in common, the
 * words are likely to be those of something else. Finer functions of how much they share, of their scores and of the query's length
 * were better on the queries that they were fitted to alone.
 */
export function fittedAlpha(words: Iterable<number>, meaning: Iterable<number>, { agreed, disagreed }: { readonly agreed: number; readonly disagreed: number } = WEIGHTS): number {
  const best = new Set(firstOf(words));
  return firstOf(meaning).some((ord) => best.has(ord)) ? agreed : disagreed;
}

/** The first different ones. */
function firstOf(ords: Iterable<number>): number[] {
  return [...new Set(ords)].slice(0, COMPARED);
}
