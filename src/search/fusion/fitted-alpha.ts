/** Number of best documents of each side that are compared. */
const COMPARED = 10;

/**
 * The weight of the vector side if both sides share some of their best documents, and if they share none: of a grid over all judged sets,
 * values with which hybrid search is worse than the better side only for paraphrased questions and on MED. `node fit-fusion.ts` in bench/ fits
 * them to one half of each set and measures them on the other.
 */
export const WEIGHTS = { agreed: 0.5, disagreed: 0.8 } as const;

/**
 * The default weight of the vector side (decision D-149); takes the ordinals of both results, best first. If the words of a query name what
 * is wanted, the lexical side finds documents that the vector side finds too, and ranks them better. If the results share no document, the
 * words probably belong to another subject. Finer functions of the overlap, the scores and the length of the query were better only on the
 * queries that they were fitted to.
 */
export function fittedAlpha(words: Iterable<number>, meaning: Iterable<number>, { agreed, disagreed }: { readonly agreed: number; readonly disagreed: number } = WEIGHTS): number {
  const best = new Set(firstOf(words));
  return firstOf(meaning).some((ord) => best.has(ord)) ? agreed : disagreed;
}

/** The first distinct ones. */
function firstOf(ords: Iterable<number>): number[] {
  return [...new Set(ords)].slice(0, COMPARED);
}
