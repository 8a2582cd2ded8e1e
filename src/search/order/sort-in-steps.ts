/** Items that are sorted at once, which takes about a millisecond. */
const RUN = 2048;

/**
 * The first `count` items in order, by merging sorted runs; `rest` is called after each few thousand comparisons. Equal
 * items stay in their order.
 */
export async function sortInSteps<T>(items: readonly T[], compare: (a: T, b: T) => number, count: number, rest: () => Promise<void>): Promise<T[]> {
  let runs: T[][] = [];
  for (let start = 0; start < items.length; start += RUN) {
    const run = items.slice(start, start + RUN).sort(compare);
    runs.push(run.slice(0, count));
    await rest();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(i + 1 < runs.length ? await merge(runs[i]!, runs[i + 1]!, compare, count, rest) : runs[i]!);
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number, count: number, rest: () => Promise<void>): Promise<T[]> {
  const merged: T[] = [];
  const length = Math.min(count, a.length + b.length);
  for (let i = 0, j = 0; merged.length < length;) {
    if (j === b.length || (i < a.length && compare(a[i]!, b[j]!) <= 0)) merged.push(a[i++]!);
    else merged.push(b[j++]!);
    if (merged.length % RUN === 0) await rest();
  }
  return merged;
}
