import { setTimeout } from 'node:timers/promises';

/** How to wait. Tests pass one that they let elapse by hand. */
export interface Timer {
  /** Resolves after so many milliseconds, or at once when the signal aborts; never rejects. */
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
