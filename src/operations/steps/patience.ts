import { systemTimer, type Timer } from '../../lib/clock.ts';
import { currentTracing } from '../../lib/tracing.ts';
import type { Call, Next, Step } from '../call.ts';

/** Milliseconds that a search waits for an index that is loading (decision D-130). */
const MAX_WAIT_MS = 5000;

/** When to repeat a read that has met an index which is loading; undefined for every other error. */
export type Loading = (error: unknown) => Promise<void> | undefined;

/**
 * Searches wait for an index that is loading, so that a client need not retry right after a start or a restore. A read
 * that meets such an index is repeated when that has changed, and fails with its error when that takes too long. Writes
 * are never repeated.
 */
export function patience(loading: Loading, timer: Timer = systemTimer): Step {
  return {
    appliesTo: ({ effect }) => effect === 'read',
    async run(call, next) {
      try {
        return await next(call);
      } catch (error) {
        if (loading(error) === undefined) throw error;
        const wait = () => repeated(call, next, error, loading, timer);
        const tracing = currentTracing();
        return tracing === undefined ? wait() : tracing.within({ name: 'wait for a loading index' }, wait);
      }
    },
  };
}

/** Throws the last error when the time has elapsed, and the signal's reason when that aborts. */
async function repeated(call: Call, next: Next, first: unknown, loading: Loading, timer: Timer): Promise<unknown> {
  const { signal } = call.context;
  const over = new AbortController();
  let isLate = false;
  const late = timer.sleep(MAX_WAIT_MS, AbortSignal.any([signal, over.signal])).then(() => void (isLate = true));
  try {
    for (let error = first;;) {
      await Promise.race([loading(error), late]);
      signal.throwIfAborted();
      if (isLate) throw error;
      try {
        return await next(call);
      } catch (thrown) {
        if (loading(thrown) === undefined) throw thrown;
        error = thrown;
      }
    }
  } finally {
    over.abort();
  }
}
