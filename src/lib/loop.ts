import { once } from 'node:events';
import type { CounterConfiguration } from 'prom-client';
import { type Backoff, backoffDelay, systemTimer, type Timer } from './clock.ts';
import type { Log } from './log.ts';

export interface LoopOptions {
  /** Names the work in the log, in the metrics and in `docs/loops.md`. */
  readonly name: string;
  /**
   * Milliseconds from the end of a round to the beginning of the next; a function is called after each round. With
   * `Infinity` the next round begins when it is woken.
   */
  readonly everyMs: number | (() => number);
  /** Whether the first round begins only after that time, because a start has enough work. */
  readonly waitsFirst?: boolean;
  /** The pauses after rounds that failed; by default those between rounds, and up to four times as long. */
  readonly backoff?: Backoff;
  /** What the log says of a round that failed. */
  readonly failure: string;
  readonly log: Pick<Log, 'warn'>;
  readonly timer?: Timer | undefined;
  /** Shortens the pauses after rounds that failed, as `Math.random` does; for runs that must be repeatable. */
  readonly random?: (() => number) | undefined;
}

/** After rounds that fail, the next ones wait up to this many times longer. */
const MOST_PATIENCE = 4;

/** How many rounds of a loop ended in which way, in this process. */
interface Rounds {
  ok: number;
  error: number;
}

const rounds = new Map<string, Rounds>();

/** The metric of this name that counts the rounds of all loops of this process. */
export function roundsMetric(name: string): CounterConfiguration<'loop' | 'outcome'> {
  return {
    name,
    help: 'Rounds of the work in the background, by loop (docs/loops.md) and outcome.',
    labelNames: ['loop', 'outcome'],
    collect() {
      this.reset();
      for (const [loop, { ok, error }] of rounds) {
        this.inc({ loop, outcome: 'ok' }, ok);
        this.inc({ loop, outcome: 'error' }, error);
      }
    },
  };
}

/**
 * Work that is repeated in the background, never twice at a time. A round that fails is logged, and the next one tries
 * again, later after several failures. `stop` aborts the signal and waits for the running round; it is safe before
 * `start` and when repeated, as is `start`, and a stopped loop can be started again.
 */
export class Loop {
  readonly #options: LoopOptions;
  readonly #work: (signal: AbortSignal) => Promise<unknown>;
  readonly #rounds: Rounds;
  #stopping = new AbortController();
  /** Ends the pause between two rounds. */
  #waking = new AbortController();
  /** Resolves when the next pause begins; undefined during one. */
  #working: PromiseWithResolvers<void> | undefined;
  #running: Promise<void> | undefined;
  /** Number of rounds that have failed since one succeeded. */
  #failures = 0;

  constructor(options: LoopOptions, work: (signal: AbortSignal) => Promise<unknown>) {
    this.#options = options;
    this.#work = work;
    this.#rounds = rounds.get(options.name) ?? { ok: 0, error: 0 };
    rounds.set(options.name, this.#rounds);
  }

  start(timer = this.#options.timer ?? systemTimer): void {
    if (this.#running !== undefined) return;
    this.#stopping = new AbortController();
    this.#waking = new AbortController();
    this.#working = Promise.withResolvers();
    this.#running = this.#run(timer, this.#stopping.signal);
  }

  /**
   * There is new work: the next round begins at once, or after the running one. After a round that failed it still
   * begins at its time, because more work does not help.
   */
  wake(): void {
    if (this.#running === undefined || this.#stopping.signal.aborted || this.#failures > 0) return;
    this.#working ??= Promise.withResolvers();
    this.#waking.abort();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#waking.abort();
    await this.#running;
    this.#running = undefined;
  }

  /** Resolves when the loop only waits, or does not run. */
  async settled(): Promise<void> {
    await this.#working?.promise;
  }

  /** Never rejects. */
  async #run(timer: Timer, signal: AbortSignal): Promise<void> {
    let pause = this.#options.waitsFirst ? this.#pause(0) : 0;
    this.#failures = 0;
    for (;;) {
      if (pause > 0) await this.#rest(timer, pause);
      if (signal.aborted) break;
      // Before the round, so that a call of `wake` during the round is not lost.
      this.#waking = new AbortController();
      this.#failures = await this.#round(signal) ? 0 : this.#failures + 1;
      if (this.#failures > 0 && !signal.aborted) this.#waking = new AbortController();
      pause = signal.aborted ? 0 : this.#pause(this.#failures);
    }
    this.#endWork();
  }

  /** Returns false for a round that failed. */
  async #round(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#work(signal);
      this.#rounds.ok += 1;
      return true;
    } catch (error) {
      const { name, failure, log } = this.#options;
      if (!signal.aborted) log.warn({ err: error, loop: name }, failure);
      this.#rounds.error += 1;
      return false;
    }
  }

  #pause(failures: number): number {
    const { everyMs } = this.#options;
    const usual = typeof everyMs === 'number' ? everyMs : everyMs();
    if (failures === 0) return usual;
    const { backoff = { initial: usual, max: MOST_PATIENCE * usual }, random } = this.#options;
    return backoffDelay(failures, backoff, random);
  }

  async #rest(timer: Timer, milliseconds: number): Promise<void> {
    const { signal } = this.#waking;
    if (signal.aborted) return;
    this.#endWork();
    if (milliseconds < Infinity) await timer.sleep(milliseconds, signal);
    else await once(signal, 'abort');
    this.#working ??= Promise.withResolvers();
  }

  #endWork(): void {
    this.#working?.resolve();
    this.#working = undefined;
  }
}
