interface Waiter {
  readonly lsn: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Callers that wait until a position is reached. */
export class Waiters {
  readonly #waiting = new Set<Waiter>();

  async wait(lsn: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { lsn, resolve, reject };
    const onAbort = () => reject(signal?.reason);
    this.#waiting.add(waiter);
    signal?.addEventListener('abort', onAbort);
    try {
      await promise;
    } finally {
      this.#waiting.delete(waiter);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  resolveUpTo(lsn: number): void {
    for (const waiter of this.#waiting) if (waiter.lsn <= lsn) waiter.resolve();
  }

  rejectAll(error: unknown): void {
    for (const waiter of this.#waiting) waiter.reject(error);
  }
}
