import type { Timer } from '../../../lib/clock.ts';
import { formatDuration } from '../../../lib/duration.ts';

/** After this long without a log line, a message says that the run continues; then each time after twice as long. */
const FIRST_MS = 30_000;

/** Tells a user that follows a log that a step is quiet, rather than the connection dead. */
export class QuietStep {
  readonly #timer: Timer;
  readonly #write: (line: string) => void;
  readonly #over = new AbortController();
  #arrived = new AbortController();
  #step: string | null = null;
  #isRunning = false;

  constructor(timer: Timer, write: (line: string) => void) {
    this.#timer = timer;
    this.#write = write;
  }

  /** Called when a line of this step arrived. */
  arrived(step: string | null): void {
    this.#step = step;
    this.#arrived.abort();
  }

  /** Only a run in progress can be quiet. */
  running(isRunning: boolean): void {
    this.#isRunning = isRunning;
    this.#arrived.abort();
  }

  async watch(): Promise<void> {
    while (!this.#over.signal.aborted) {
      this.#arrived = new AbortController();
      await this.#waitForLines(AbortSignal.any([this.#arrived.signal, this.#over.signal]));
    }
  }

  stop(): void {
    this.#over.abort();
  }

  async #waitForLines(signal: AbortSignal): Promise<void> {
    for (let quietMs = 0, waitMs = FIRST_MS; !signal.aborted; waitMs = quietMs) {
      await this.#timer.sleep(waitMs, signal);
      if (signal.aborted) return;
      quietMs += waitMs;
      if (this.#isRunning)
        this.#write(
          `— ${this.#step === null ? 'the run' : this.#step} is still running, without a line for ${
            formatDuration(quietMs)
          }`,
        );
    }
  }
}
