import { Lru } from '../../lib/caches.ts';
import { type Clock, isRecent } from '../../lib/clock.ts';

export interface BurstOptions {
  /** Number of failures within the window that make a burst. */
  readonly threshold: number;
  readonly windowMs: number;
  /** Milliseconds until the same burst is reported again. */
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

/**
 * Maximum number of pairs of actor and address in memory; an attacker who uses more names is still reported, by the
 * address without a name.
 */
const MAX_REMEMBERED = 10_000;

interface Failures {
  /** Milliseconds since 1970, ascending; only times within the window. */
  times: number[];
  reportedAt: number;
}

/** Detects many failed attempts of one actor from one address within a sliding window (contract section 5, rule 11). */
export class BurstDetector {
  readonly #options: BurstOptions;
  readonly #failures = new Lru<string, Failures>(MAX_REMEMBERED);

  constructor(options: BurstOptions) {
    this.#options = options;
  }

  /** Counts a failure; returns a burst that is to be reported. */
  fail(actor: string, ip: string): Burst | undefined {
    const { threshold, windowMs, cooldownMs, clock } = this.#options;
    const now = clock.now();
    const key = `${actor}\0${ip}`;
    const known = this.#failures.get(key) ?? { times: [], reportedAt: -Infinity };
    known.times = known.times.filter((time) => isRecent(time, now, windowMs));
    known.times.push(now);
    // These times are enough to detect a burst.
    if (known.times.length > threshold) known.times.shift();
    this.#failures.set(key, known);
    if (known.times.length < threshold || isRecent(known.reportedAt, now, cooldownMs)) return undefined;
    known.reportedAt = now;
    return { actor, ip, count: known.times.length, windowSec: Math.round(windowMs / 1000) };
  }
}
