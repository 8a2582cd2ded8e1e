import type { Clock } from '../../../lib/clock.ts';
import { SlidingWindow } from '../../../lib/sliding-window.ts';
import { clientNetwork } from '../../../lib/trusted-proxies.ts';
import type { Identity } from '../auth/authenticator.ts';
import { REFUSED } from '../core/fault.ts';
import { type Exchange, Refusal } from './exchange.ts';

export interface RateLimitOptions {
  readonly enabled: boolean;
  readonly requests: number;
  readonly windowMs: number;
  /** Requests above `requests` that a window allows. */
  readonly burst: number;
  readonly by: 'ip' | 'api_key' | 'session';
  readonly clock: Clock;
}

/** The keys under which a request is counted, besides its address. */
export interface Countable {
  readonly identity: Identity;
  /** The session of the request, if it exists. */
  readonly session: string | undefined;
}

/** Rejects requests above the limit with 429 and the time to wait. Does nothing if the limit is off. */
export function createRateLimit(options: RateLimitOptions): (exchange: Exchange, countable: Countable) => void {
  if (!options.enabled) return () => undefined;
  const { windowMs, clock } = options;
  const limit = options.requests + options.burst;
  const window = new SlidingWindow({ limit, windowMs, clock });
  return ({ response, ip }, countable) => {
    const { allowed, remaining, waitMs } = window.take(keyOf(options.by, ip, countable));
    const seconds = String(Math.ceil(waitMs / 1000));
    response.setHeader('X-RateLimit-Limit', limit);
    response.setHeader('X-RateLimit-Remaining', remaining);
    response.setHeader('X-RateLimit-Reset', seconds);
    if (!allowed)
      throw new Refusal(429, REFUSED, `too many requests; try again in ${seconds} s`, {
        headers: { 'Retry-After': seconds },
      });
  };
}

/**
 * A request without a valid key or session is counted by its address, so inventing a key or a session gains nothing.
 */
function keyOf(by: RateLimitOptions['by'], ip: string, { identity, session }: Countable): string {
  if (by === 'session' && session !== undefined) return `session ${session}`;
  if (by === 'api_key' && identity.ok && identity.owner !== undefined) return `key ${identity.owner.name}`;
  return `ip ${clientNetwork(ip)}`;
}
