/** Number of best documents of each side that are compared. */
const COMPARED = 10;

/**
 * The weight of the vector side if both sides share some of their best documents, and if they share none. `node
 * fit-fusion.ts` in bench/ fits them to one half of each judged set and measures them on the other: 0.5 and 0.9, or 0.6
 * and 0.9, with 100 candidates of each side. With the 50 of a usual search, 0.8 is as good or better on every set
 * (bench/meaning.ts).
 */
export const WEIGHTS = { agreed: 0.5, disagreed: 0.8 } as const;

/**
 * The default weight of the vector side; takes the ordinals of both results, best first. If the words of a query name
 * what is wanted, the lexical side finds documents that the vector side finds too, and ranks them better. If the
 * results share no document, the words probably belong to another subject. Finer functions of the overlap, the scores
 * and the length of the query were better only on the queries that they were fitted to.
 */
export function fittedAlpha(words: Iterable<number>, meaning: Iterable<number>,
  { agreed, disagreed }: { readonly agreed: number; readonly disagreed: number } = WEIGHTS): number
{
  const best = new Set(firstOf(words));
  return firstOf(meaning).some((ord) => best.has(ord)) ? agreed : disagreed;
}

/** The first distinct ones. */
function firstOf(ords: Iterable<number>): number[] {
  return [...new Set(ords)].slice(0, COMPARED);
}
