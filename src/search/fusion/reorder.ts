/** The first items that are looked at again. */
export const REORDERED = 50;

/**
 * Items whose first ones, as far as there is an opinion on them, are in the order of it; they share the places that they have among
 * them, so that the others keep theirs. Equal opinions leave the order as it is.
 */
export function reorder<T>(items: readonly T[], opinionOf: (item: T, index: number) => number | undefined): T[] {
  const rated = items.slice(0, REORDERED).flatMap((item, place) => {
    const opinion = opinionOf(item, place);
    return opinion === undefined ? [] : [{ item, place, opinion }];
  });
  const reordered = [...items];
  for (const [i, { item }] of rated.toSorted((a, b) => b.opinion - a.opinion).entries()) reordered[rated[i]!.place] = item;
  return reordered;
}
