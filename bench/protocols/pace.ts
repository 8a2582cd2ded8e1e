/** What a number of clients measured that each call again as soon as they are answered. */
export interface Pace {
  readonly calls: number;
  readonly seconds: number;
  /** How long each call took, in milliseconds. */
  readonly times: readonly number[];
}

/** Runs for so long; every call must succeed. */
export async function paceOf(callers: readonly (() => Promise<unknown>)[], seconds: number): Promise<Pace> {
  const times: number[] = [];
  const begun = performance.now();
  const end = begun + seconds * 1000;
  await Promise.all(callers.map(async (call) => {
    for (let before = performance.now(); before < end; before = performance.now()) {
      await call();
      times.push(performance.now() - before);
    }
  }));
  return { calls: times.length, seconds: (performance.now() - begun) / 1000, times };
}
