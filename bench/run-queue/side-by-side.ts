/** Does the work for 0 to `count - 1`, with the given concurrency. */
export async function sideBySide(count: number, atOnce: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: Math.min(count, atOnce) }, async () => {
    for (let n = next++; n < count; n = next++) await work(n);
  }));
}

/** A quantile of measured times, such as 0.5 for the median. */
export function quantile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
