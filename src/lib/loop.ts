import { backoffDelay } from './backoff.ts';
import type { Log } from './log.ts';
import { systemTimer, type Timer } from './timer.ts';

export interface LoopOptions {
  /** Names the work in the log. */
  readonly name: string;
  /** Milliseconds from the end of a round to the beginning of the next. */
  readonly everyMs: number;
  /** Whether the first round begins only after that time, because a start has enough work. */
  readonly waitsFirst?: boolean;
  /** What the log says of a round that failed. */
  readonly failure: string;
  readonly log: Pick<Log, 'warn'>;
  readonly timer?: Timer | undefined;
}

/** After rounds that fail, the next ones wait up to this many times longer. */
const MOST_PATIENCE = 4;

/**
 * Work that is repeated in the background, never twice at a time. A round that fails is logged, and the next one tries
 * again, later after several failures. `stop` aborts the signal and waits for the running round; it is safe before
 * `start` and when repeated, as is `start`, and a stopped loop can be started again.
 */
export class Loop {
  readonly #options: LoopOptions;
  readonly #work: (signal: AbortSignal) => Promise<unknown>;
  #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: LoopOptions, work: (signal: AbortSignal) => Promise<unknown>) {
    this.#options = options;
    this.#work = work;
  }

  start(timer = this.#options.timer ?? systemTimer): void {
    if (this.#running !== undefined) return;
    this.#stopping = new AbortController();
    this.#running = this.#run(timer, this.#stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#running = undefined;
  }

  /** Never rejects. */
  async #run(timer: Timer, signal: AbortSignal): Promise<void> {
    const { name, everyMs, waitsFirst = false, failure, log } = this.#options;
    if (waitsFirst) await timer.sleep(everyMs, signal);
    for (let failures = 0; !signal.aborted;) {
      try {
        await this.#work(signal);
        failures = 0;
      } catch (error) {
        failures += 1;
        if (!signal.aborted) log.warn({ err: error, loop: name, failures }, failure);
      }
      await timer.sleep(
        failures === 0 ? everyMs : backoffDelay(failures, { initial: everyMs, max: MOST_PATIENCE * everyMs }),
        signal,
      );
    }
  }
}
