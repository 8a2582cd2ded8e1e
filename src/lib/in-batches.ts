/**
 * Splits items into batches with a maximum count and a maximum total weight; an item over that weight is a batch of its
 * own.
 */
export function* inBatches<T>(items: readonly T[], most: number, weightOf: (item: T) => number,
  mostWeight: number): Generator<T[]>
{
  let batch: T[] = [];
  let weight = 0;
  for (const item of items) {
    if (batch.length === most || (batch.length > 0 && weight + weightOf(item) > mostWeight)) {
      yield batch;
      [batch, weight] = [[], 0];
    }
    batch.push(item);
    weight += weightOf(item);
  }
  if (batch.length > 0) yield batch;
}
