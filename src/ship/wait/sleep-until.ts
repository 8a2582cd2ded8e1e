import type { Timer } from '../../lib/timer.ts';

/** Sleeps until the time is over or one of the signals aborts. Has listeners on the signals only while it sleeps. */
export async function sleepUntil(timer: Timer, milliseconds: number,
  ...signals: readonly AbortSignal[]): Promise<void>
{
  if (signals.some(({ aborted }) => aborted)) return;
  const wake = new AbortController();
  const abort = (): void => wake.abort('woken'); // a reason of its own saves an exception
  for (const signal of signals) signal.addEventListener('abort', abort, { once: true });
  try {
    await timer.sleep(milliseconds, wake.signal);
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', abort);
  }
}
