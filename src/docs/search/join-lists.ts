/** By how much a list of candidates is longer than the one before it. */
export const GROWTH = 4;

/**
 * Lengths of the lists of candidates that a page needs: `first`, which does not depend on the page, and longer ones
 * while the page ends behind `wanted` results.
 */
export function listLengths(first: number, wanted: number): number[] {
  const lengths = [first];
  while (lengths.at(-1)! < wanted) lengths.push(lengths.at(-1)! * GROWTH);
  return lengths;
}

/**
 * Joins lists of candidates: a fused order depends on how many candidates each side has, so if pages further back were
 * of longer lists alone, they would repeat and lose results. The first results are those of the first list, up to its
 * length; each further list continues them with what they do not have. `listOf` returns a list without what is among
 * the results before it.
 */
export async function joinLists<T>(lengths: readonly number[],
  listOf: (i: number, before: readonly T[]) => Promise<readonly T[]> | readonly T[]): Promise<T[]>
{
  const joined: T[] = [];
  for (const [i, length] of lengths.entries()) {
    const list = await listOf(i, joined);
    const end = i === lengths.length - 1 ? list.length : Math.max(0, length - joined.length);
    for (const one of list.slice(0, end)) joined.push(one);
  }
  return joined;
}
