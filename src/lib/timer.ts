/** A way to wait. Tests pass one whose time they advance by hand. */
export interface Timer {
  /** Resolves after the given number of milliseconds, or at once if the signal aborts; never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemTimer: Timer = {
  // Without an exception, unlike the timers of Node: many sleeps end early, and each exception has a stack.
  sleep(milliseconds, signal) {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = (): void => {
        clearTimeout(timeout);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timeout = setTimeout(wake, milliseconds);
      signal?.addEventListener('abort', wake, { once: true });
    });
  },
};
