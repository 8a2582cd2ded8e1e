import { countWork } from '../lib/pace.ts';

/**
 * The most work that was done without a chance to pause while `run` ran, in units of `spend` (`src/lib/pace.ts`): how
 * long the longest turn of the event loop can be, whatever machine the test runs on.
 */
export async function mostWork(run: () => Promise<unknown>): Promise<number> {
  let [since, most] = [0, 0];
  countWork({
    spend(units) {
      since += units;
      most = Math.max(most, since);
    },
    pause() {
      since = 0;
    },
  });
  try {
    await run();
  } finally {
    countWork(undefined);
  }
  return most;
}
