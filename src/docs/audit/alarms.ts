import { Lru } from '../../lib/caches.ts';
import { type Clock, isRecent } from '../../lib/clock.ts';
import { SlidingWindow } from '../../lib/sliding-window.ts';
import { clientNetwork } from '../../lib/trusted-proxies.ts';
import type { RefusedRequest } from '../../operations/index.ts';

interface BurstOptions {
  /** Number of failures within the window that make a burst. */
  readonly threshold: number;
  readonly windowMs: number;
  /** Milliseconds until the same burst is reported again. */
  readonly cooldownMs: number;
  readonly clock: Clock;
}

/** The `detail` of `security.auth_failure_burst` (contract section 6). */
interface Burst {
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

/** The `detail` of `security.rate_limit_exceeded` (decisions, section 6). */
interface Excess {
  /** Empty if requests are counted by address. */
  readonly actor: string;
  readonly ip: string;
  /** Number of requests allowed within the window. */
  readonly limit: number;
  readonly windowSec: number;
}

interface RateLimitAlarmOptions {
  /** Milliseconds until the same sender is reported again. */
  readonly cooldownMs: number;
  readonly clock: Clock;
}

/**
 * Maximum number of senders reported in a minute: an attack from many addresses must not fill the logs; the metrics
 * count every request.
 */
const EVENTS_A_MINUTE = 30;

/** Detects senders that begin to be refused by the rate limit. */
export class RateLimitAlarm {
  readonly #senders: SlidingWindow;
  readonly #all: SlidingWindow;

  constructor({ cooldownMs, clock }: RateLimitAlarmOptions) {
    this.#senders = new SlidingWindow({ limit: 1, windowMs: Math.max(1, cooldownMs), capacity: 10_000, clock });
    this.#all = new SlidingWindow({ limit: EVENTS_A_MINUTE, windowMs: 60_000, clock });
  }

  /** Returns what is to be reported of a refused request. */
  refuse({ sender: { ip = '' }, username, limit, windowMs }: RefusedRequest): Excess | undefined {
    if (!this.#senders.take(`${username}\0${clientNetwork(ip)}`).allowed || !this.#all.take('').allowed)
      return undefined;
    return { actor: username, ip, limit, windowSec: Math.round(windowMs / 1000) };
  }
}
