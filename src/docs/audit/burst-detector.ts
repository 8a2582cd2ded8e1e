import type { Clock } from '../../lib/clock.ts';
import { Lru } from '../../lib/lru.ts';

export interface BurstOptions {
  /** Failures within the window that are a burst. */
  readonly threshold: number;
  readonly windowMs: number;
  /** Until the same burst is told again. */
  readonly cooldownMs: number;
  readonly clock: Clock;
}

/** The `detail` of `security.auth_failure_burst` (contract section 6). */
export interface Burst {
  readonly actor: string;
  readonly ip: string;
  readonly count: number;
  readonly windowSec: number;
}

/** Actors and addresses that are remembered; who attacks with more is told all the same, by the address without a name. */
const REMEMBERED = 10_000;

interface Failures {
  /** Milliseconds since 1970, ascending, those within the window. */
  times: number[];
  toldAt: number;
}

/** Notices when many attempts of one actor from one address fail within a sliding window (contract section 5, rule 11). */
export class BurstDetector {
  readonly #options: BurstOptions;
  readonly #failures = new Lru<string, Failures>(REMEMBERED);

  constructor(options: BurstOptions) {
    this.#options = options;
  }

  /** Counts a failure; answers a burst that is to be told. */
  fail(actor: string, ip: string): Burst | undefined {
    const { threshold, windowMs, cooldownMs, clock } = this.#options;
    const now = clock.now();
    const key = `${actor}\0${ip}`;
    const known = this.#failures.get(key) ?? { times: [], toldAt: -Infinity };
    known.times = known.times.filter((time) => time > now - windowMs);
    known.times.push(now);
    // More need not be remembered to know that they are too many.
    if (known.times.length > threshold) known.times.shift();
    this.#failures.set(key, known);
    if (known.times.length < threshold || now - known.toldAt < cooldownMs) return undefined;
    known.toldAt = now;
    return { actor, ip, count: known.times.length, windowSec: Math.round(windowMs / 1000) };
  }
}
