import type { RunsEnvironment } from '../environment.ts';

/** How often the queue looks for work that nothing has woken it for. */
const TICK_MS = 1000;

/**
 * Does its work once a second, never twice at a time. `stop` waits for work under way; calling it before `start`, or
 * again, is harmless.
 */
export class Ticker {
  readonly #env: Pick<RunsEnvironment, 'timer' | 'log'>;
  readonly #work: (signal: AbortSignal) => Promise<void>;
  #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(env: Pick<RunsEnvironment, 'timer' | 'log'>, work: (signal: AbortSignal) => Promise<void>) {
    this.#env = env;
    this.#work = work;
  }

  start(): void {
    if (this.#running !== undefined) return;
    this.#stopping = new AbortController();
    this.#running = this.#run(this.#stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#running = undefined;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#work(signal);
      } catch (error) {
        this.#env.log.warn({ error }, 'the queue could not be looked after; the next tick tries again');
      }
      await this.#env.timer.sleep(TICK_MS, signal);
    }
  }
}
