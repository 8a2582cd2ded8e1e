import { ServiceError } from '../errors/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Credential } from '../lib/credential.ts';
import { SlidingWindow } from '../lib/sliding-window.ts';
import { clientNetwork } from '../lib/trusted-proxies.ts';
import type { Caller } from './caller.ts';
import type { Identity } from './identity.ts';

export interface RateLimitOptions {
  /** Requests in each window. */
  readonly requests: number;
  /** Requests above those that a window may have. */
  readonly burst: number;
  readonly windowMs: number;
  /** What requests are counted by. A caller who is not known is counted by the address. */
  readonly by: 'ip' | 'user';
  readonly clock: Clock;
  /** Whose a credential is; needed where it is counted by user. */
  readonly identify?: (credential: Credential) => Promise<Identity | undefined>;
  /** Told of each request that is refused; must not throw. */
  readonly onRefused?: (refused: RefusedRequest) => void;
}

/** Who sends a request, as far as it is known before it is read. */
export type Sender = Pick<Caller, 'protocol' | 'ip' | 'userAgent' | 'credential'>;

export interface RefusedRequest {
  readonly sender: Sender;
  /** Empty where the sender is counted by the address. */
  readonly username: string;
  /** Requests that were allowed in the window. */
  readonly limit: number;
  readonly windowMs: number;
}

/** Headers that tell a client what it may still do; metadata in gRPC. */
export type QuotaHeaders = Readonly<Record<string, string>>;

/** The limit that all protocols share (decisions, section 5.4). */
export interface RateLimit {
  /** Counts a request before it is read. Throws `rate_limited`, with the time to wait, when there were too many. */
  admit(sender: Sender): Promise<QuotaHeaders>;
}

/** Operations that are never refused: whoever watches a server must see it when it is busy, too. */
export const UNLIMITED_OPERATIONS: readonly string[] = ['getHealth', 'getHealthV1', 'getReadiness', 'getReadinessV1', 'getMetrics'];

/** Where a sender has no address, on a unix socket. */
const LOCAL = 'local';

/**
 * Counts requests, not operations: one GraphQL request counts once, and each mutation in it after the first. Refused requests are not
 * counted. Guessing credentials gains nothing where it is counted by user, since a guess that is wrong is
 * counted by its address.
 */
export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { windowMs, clock, identify, onRefused } = options;
  const limit = options.requests + options.burst;
  const window = new SlidingWindow({ limit, windowMs, clock });
  const userOf = async ({ credential }: Sender): Promise<string> => {
    if (options.by !== 'user' || credential === undefined) return '';
    return (await identify?.(credential))?.username ?? '';
  };
  return {
    async admit(sender) {
      const username = await userOf(sender);
      const { allowed, remaining, waitMs } = window.take(username === '' ? `ip ${clientNetwork(sender.ip ?? LOCAL)}` : `user ${username}`);
      const seconds = String(Math.ceil(waitMs / 1000));
      const headers = { 'X-RateLimit-Limit': String(limit), 'X-RateLimit-Remaining': String(remaining), 'X-RateLimit-Reset': seconds };
      if (allowed) return headers;
      onRefused?.({ sender, username, limit, windowMs });
      throw new ServiceError('rate_limited', `too many requests; try again in ${seconds} s`, { headers: { ...headers, 'Retry-After': seconds } });
    },
  };
}
