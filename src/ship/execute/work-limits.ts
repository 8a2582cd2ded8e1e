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

/** In milliseconds. */
interface LimitTimes {
  readonly timeoutMs: number;
  readonly graceMs: number;
  readonly alwaysGraceMs: number;
}

/** How long an attempt may run: its timeout, and the signals from outside. */
export class WorkLimits {
  /** Why the work must end; the first reason stays. */
  reason: 'timeout' | 'stop' | undefined;
  /** Milliseconds until it must be dead even if this process is frozen; absent for no limit. */
  readonly leaseLeft: WorkControl['leaseLeft'];
  readonly #ended = new AbortController();
  readonly #over = new AbortController();
  readonly #alwaysOver = new AbortController();
  readonly #kill: AbortSignal;
  readonly #graceMs: number;
  readonly #listening = new AbortController();
  readonly #timeout: { clear(): void };
  /** Ends of the grace and of the time for steps that always run, by the monotonic clock. */
  #overAt = Infinity;
  #alwaysOverAt = Infinity;
  readonly #timers: (NodeJS.Timeout | undefined)[] = [];

  /**
   * `graceMs`: grace after a timeout; `alwaysGraceMs`: further time for steps that always run. A stop passes its own.
   */
  constructor({ timeoutMs, graceMs, alwaysGraceMs }: LimitTimes, control: WorkControl) {
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
    onAbort(control.kill, () => this.#end('stop', 0, 0));
    onAbort(control.stop, () => this.#end('stop', control.graceMs(), control.alwaysGraceMs?.() ?? 0));
    onAbort(timeout.signal, () => this.#end('timeout', graceMs, alwaysGraceMs));
  }

  /** Aborts when no normal work may start or continue. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Aborts when the grace is over: no process of normal work may be alive any more. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Aborts when the time of steps that always run is over, too: no process may be alive any more. */
  get alwaysOver(): AbortSignal {
    return this.#alwaysOver.signal;
  }

  /** No step may start: too little time is left, also for those that always run. */
  get isSpent(): boolean {
    return this.#alwaysOver.signal.aborted || (this.#ended.signal.aborted && this.alwaysGraceMs < LEAST_GRACE_MS);
  }

  /** No report is needed. */
  get killed(): boolean {
    return this.#kill.aborted;
  }

  /** Remaining time for work that was asked to stop. */
  get graceMs(): number {
    return this.#ended.signal.aborted ? Math.max(0, this.#overAt - performance.now()) : this.#graceMs;
  }

  /** Remaining time for steps that always run and are asked to stop. */
  get alwaysGraceMs(): number {
    return this.#ended.signal.aborted ? Math.max(0, this.#alwaysOverAt - performance.now()) : this.#graceMs;
  }

  /** Clears its timers. */
  clear(): void {
    this.#timeout.clear();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#listening.abort();
  }

  /** A later reason can only shorten the times. */
  #end(reason: 'timeout' | 'stop', graceMs: number, alwaysGraceMs: number): void {
    this.reason ??= reason;
    const now = performance.now();
    this.#overAt = Math.min(this.#overAt, now + graceMs);
    this.#alwaysOverAt = Math.max(this.#overAt, Math.min(this.#alwaysOverAt, now + graceMs + alwaysGraceMs));
    this.#abortAt(this.#over, this.#overAt - now);
    this.#abortAt(this.#alwaysOver, this.#alwaysOverAt - now);
    this.#ended.abort();
  }

  #abortAt(controller: AbortController, milliseconds: number): void {
    if (milliseconds <= 0) controller.abort();
    else this.#timers.push(setTimeout(() => controller.abort(), Math.min(MAX_TIMER_MS, milliseconds)));
  }
}
