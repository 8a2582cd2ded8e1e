import type { RunsEnvironment } from '../environment.ts';

const EVERY_MS = 600_000;

/** Repeats its work every ten minutes until it is stopped; a failure is logged, and the next round tries again. */
export function pruneRegularly({ timer, log }: Pick<RunsEnvironment, 'timer' | 'log'>,
  prune: (signal: AbortSignal) => Promise<void>): { start(): void; stop(): Promise<void> }
{
  const stopped = new AbortController();
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      try {
        await prune(stopped.signal);
      } catch (error) {
        log.warn({ err: error }, 'expired idempotency keys could not be deleted');
      }
      await timer.sleep(EVERY_MS, stopped.signal);
    }
  }

  return {
    start: () => void (running ??= run()),
    async stop() {
      stopped.abort();
      await running;
    },
  };
}
