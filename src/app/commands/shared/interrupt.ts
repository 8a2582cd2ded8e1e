const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs work that ends early but in order when the process is interrupted: the first Ctrl-C or SIGTERM aborts the
 * signal, a second one ends the process as if there were no handler.
 */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => {
    release();
    controller.abort();
  };
  const release = (): void => {
    for (const name of SIGNALS) process.off(name, abort);
  };
  for (const name of SIGNALS) process.on(name, abort);
  try {
    return await work(controller.signal);
  } finally {
    release();
  }
}
