import type { WorkControl } from './port.ts';

/** Longest time of a timer (24 days); longer limits are not enforced. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Too little time for any work. */
const LEAST_GRACE_MS = 10;

/** Aborts after this many milliseconds; `clear` cancels it. */
export function alarm(milliseconds: number): { readonly signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const timer = milliseconds > 0 && milliseconds <= MAX_TIMER_MS
    ? setTimeout(() => controller.abort(), milliseconds)
    : undefined;
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}

/** How long an attempt may run: its timeout, and the signals from outside. */
export class WorkLimits {
  /** Why the work must end; the first reason stays. */
  reason: 'timeout' | 'stop' | undefined;
  /** Milliseconds until it must be dead even if this process is frozen; absent for no limit. */
  readonly leaseLeft: WorkControl['leaseLeft'];
  readonly #ended = new AbortController();
  readonly #over = new AbortController();
  readonly #kill: AbortSignal;
  readonly #graceMs: number;
  readonly #listening = new AbortController();
  readonly #timeout: { clear(): void };
  #graceTimer: NodeJS.Timeout | undefined;
  /** End of the grace, by the monotonic clock. */
  #overAt = Infinity;

  /** `graceMs`: grace after a timeout; a stop passes its own. */
  constructor(timeoutMs: number, graceMs: number, control: WorkControl) {
    this.#graceMs = graceMs;
    this.#kill = control.kill;
    this.leaseLeft = control.leaseLeft;
    const timeout = alarm(timeoutMs);
    this.#timeout = timeout;
    const options = { once: true, signal: this.#listening.signal } as const;
    const onAbort = (signal: AbortSignal, act: () => void): void => {
      if (signal.aborted) act();
      else signal.addEventListener('abort', act, options);
    };
    onAbort(control.kill, () => this.#end('stop', 0));
    onAbort(control.stop, () => this.#end('stop', control.graceMs()));
    onAbort(timeout.signal, () => this.#end('timeout', graceMs));
  }

  /** Aborts when no normal work may start or continue. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Aborts when the grace is over: no process may be alive any more. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** The grace is over, or nearly: a step at its end may be killed a moment before `over` aborts. */
  get isSpent(): boolean {
    return this.#over.signal.aborted || (this.#ended.signal.aborted && this.graceMs < LEAST_GRACE_MS);
  }

  /** No report is needed. */
  get killed(): boolean {
    return this.#kill.aborted;
  }

  /** Remaining time for work that was asked to stop. */
  get graceMs(): number {
    return this.#ended.signal.aborted ? Math.max(0, this.#overAt - performance.now()) : this.#graceMs;
  }

  /** Clears its timers. */
  clear(): void {
    this.#timeout.clear();
    clearTimeout(this.#graceTimer);
    this.#listening.abort();
  }

  /** A later reason can only shorten the grace. */
  #end(reason: 'timeout' | 'stop', graceMs: number): void {
    this.reason ??= reason;
    const overAt = performance.now() + graceMs;
    if (overAt < this.#overAt) {
      this.#overAt = overAt;
      clearTimeout(this.#graceTimer);
      if (graceMs <= 0) this.#over.abort();
      else this.#graceTimer = setTimeout(() => this.#over.abort(), Math.min(MAX_TIMER_MS, graceMs));
    }
    this.#ended.abort();
  }
}
