import type { Clock } from '../../lib/clock.ts';
import { SlidingWindow } from '../../lib/sliding-window.ts';
import { clientNetwork } from '../../lib/trusted-proxies.ts';
import type { RefusedRequest } from '../../operations/index.ts';

/** The `detail` of `security.rate_limit_exceeded` (decisions, section 6). */
export interface Excess {
  /** Empty if requests are counted by address. */
  readonly actor: string;
  readonly ip: string;
  /** Number of requests allowed within the window. */
  readonly limit: number;
  readonly windowSec: number;
}

export interface RateLimitAlarmOptions {
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
