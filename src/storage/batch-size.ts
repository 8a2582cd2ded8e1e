const DEFAULT = 500;

/** Rows in one batch of a stream: what is asked for, or 500. */
export function batchSize({ batch = DEFAULT }: { batch?: number } = {}): number {
  if (!Number.isSafeInteger(batch) || batch < 1) throw new RangeError(`a batch has at least 1 row, got ${batch}`);
  return batch;
}
