import { setTimeout } from 'node:timers/promises';

/** A way to wait. Tests pass one whose time they advance by hand. */
export interface Timer {
  /** Resolves after the given number of milliseconds, or at once if the signal aborts; never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemTimer: Timer = {
  async sleep(milliseconds, signal) {
    try {
      await setTimeout(milliseconds, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  },
};
