/** Number of items that are reordered. */
export const REORDERED = 50;

/**
 * Reorders the first items by their ratings, where they have one. Rated items exchange only the places that they have
 * among them, so all others stay where they are. Items of equal rating keep their order.
 */
export function reorder<T>(items: readonly T[], ratingOf: (item: T, index: number) => number | undefined): T[] {
  const rated = items.slice(0, REORDERED).flatMap((item, place) => {
    const rating = ratingOf(item, place);
    return rating === undefined ? [] : [{ item, place, rating }];
  });
  const reordered = [...items];
  for (const [i, { item }] of rated.toSorted((a, b) => b.rating - a.rating).entries())
    reordered[rated[i]!.place] = item;
  return reordered;
}
