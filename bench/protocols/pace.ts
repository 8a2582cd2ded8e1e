/** The measurements of a number of clients, each of which calls again as soon as it has received a response. */
export interface Pace {
  readonly calls: number;
  readonly seconds: number;
  /** Duration of each call, in milliseconds. */
  readonly times: readonly number[];
}

/** Runs for the given time; every call must succeed. */
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
