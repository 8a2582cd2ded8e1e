const DEFAULT = 500;

/** Number of rows in one batch of a stream: the requested number, or 500 by default. */
export function batchSize({ batch = DEFAULT }: { batch?: number } = {}): number {
  if (!Number.isSafeInteger(batch) || batch < 1) throw new RangeError(`a batch has at least 1 row, got ${batch}`);
  return batch;
}
