import { backoffDelay } from '../../../lib/backoff.ts';
import type { Log } from '../../../lib/log.ts';
import type { Timer } from '../../../lib/timer.ts';

/**
 * Does a part of the work. Returns the milliseconds until the next part; undefined when only `wake` can bring more
 * work.
 */
export type Step = (signal: AbortSignal) => Promise<number | undefined>;

const BACKOFF = { initial: 1000, max: 60_000 };

/**
 * Repeats a step in the background. A step that fails is logged and repeated after a pause, which grows from one second
 * to one minute. `stop` before `start`, or again, is harmless.
 */
export class Loop {
  readonly #step: Step;
  readonly #timer: Timer;
  readonly #log: Log;
  #running: Promise<void> | undefined;
  #stopping = new AbortController();
  #woken = Promise.withResolvers<void>();
  #idle = Promise.withResolvers<void>();

  constructor(step: Step, { timer, log }: { readonly timer: Timer; readonly log: Log }) {
    this.#step = step;
    this.#timer = timer;
    this.#log = log;
  }

  start(): void {
    if (this.#running !== undefined) return;
    this.#stopping = new AbortController();
    this.#idle = Promise.withResolvers();
    this.#running = this.#run(this.#stopping.signal);
  }

  /** Call this when there is new work. */
  wake(): void {
    if (this.#running !== undefined) this.#idle = Promise.withResolvers();
    this.#woken.resolve();
  }

  /** Waits for the running step. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#woken.resolve();
    await this.#running;
    this.#running = undefined;
  }

  /** Resolves when the loop only waits. */
  async settled(): Promise<void> {
    if (this.#running !== undefined) await this.#idle.promise;
  }

  async #run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      // Before the step, so that a call of `wake` during the step is not lost.
      this.#woken = Promise.withResolvers();
      const pause = await this.#attempt(signal, failures);
      failures = pause.failed ? failures + 1 : 0;
      if (pause.milliseconds !== 0 && !signal.aborted) await this.#rest(pause.milliseconds, this.#woken.promise);
    }
    this.#idle.resolve();
  }

  async #attempt(signal: AbortSignal,
    failures: number): Promise<{ failed: boolean; milliseconds: number | undefined }>
  {
    try {
      return { failed: false, milliseconds: await this.#step(signal) };
    } catch (error) {
      if (!signal.aborted) this.#log.warn({ err: error }, 'work in the background failed; it is tried again');
      return { failed: true, milliseconds: backoffDelay(failures + 1, BACKOFF) };
    }
  }

  async #rest(milliseconds: number | undefined, woken: Promise<void>): Promise<void> {
    this.#idle.resolve();
    const awake = new AbortController();
    await Promise.race([woken, ...(milliseconds === undefined ? [] : [this.#timer.sleep(milliseconds, awake.signal)])]);
    awake.abort();
  }
}
