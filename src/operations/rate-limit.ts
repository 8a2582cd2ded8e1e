import { ServiceError } from '../errors/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Credential } from '../lib/headers.ts';
import { SlidingWindow } from '../lib/sliding-window.ts';
import { clientNetwork } from '../lib/trusted-proxies.ts';
import type { Caller, Identity } from './caller.ts';

export interface QuotaOptions {
  /** Number of requests in each window. */
  readonly requests: number;
  /** Number of requests allowed in addition to those of a window. */
  readonly burst: number;
  readonly windowMs: number;
  readonly clock: Clock;
}

export interface RateLimitOptions extends QuotaOptions {
  /** What requests are counted by. A caller who is not identified is counted by address. */
  readonly by: 'ip' | 'user';
  /** Returns the user of a credential; required if requests are counted by user. */
  readonly identify?: (credential: Credential) => Promise<Identity | undefined>;
  /** Called for each request that is refused; must not throw. */
  readonly onRefused?: (refused: RefusedRequest) => void;
}

/** The sender of a request, as far as it is known before the request is read. */
export type Sender = Pick<Caller, 'protocol' | 'ip' | 'userAgent' | 'credential'>;

export interface RefusedRequest {
  readonly sender: Sender;
  /** Empty if the sender is counted by address. */
  readonly username: string;
  /** Number of requests that the window allows. */
  readonly limit: number;
  readonly windowMs: number;
}

/** Headers that tell a client how many requests remain; metadata in gRPC. */
export type QuotaHeaders = Readonly<Record<string, string>>;

/** The limit that all protocols share (decisions, section 5.4). */
export interface RateLimit {
  /** Counts a request before it is read. Throws `rate_limited`, with the time to wait, if there were too many. */
  admit(sender: Sender): Promise<QuotaHeaders>;
}

/**
 * Counts requests by a key, and returns the headers for the client. Throws `rate_limited`, with the time to wait, if
 * there were too many; refused requests are not counted.
 */
export function createQuota({ requests, burst, windowMs, clock }: QuotaOptions): (key: string) => QuotaHeaders {
  const limit = requests + burst;
  const window = new SlidingWindow({ limit, windowMs, clock });
  return (key) => {
    const { allowed, remaining, waitMs } = window.take(key);
    const seconds = String(Math.ceil(waitMs / 1000));
    const headers = {
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(remaining),
      'X-RateLimit-Reset': seconds,
    };
    if (allowed) return headers;
    throw new ServiceError('rate_limited', `too many requests; try again in ${seconds} s`, {
      headers: { ...headers, 'Retry-After': seconds },
    });
  };
}

/** For a sender without an address, on a unix socket. */
const LOCAL = 'local';

/**
 * Counts requests, not operations: one GraphQL request counts once, and each mutation in it after the first. If
 * requests are counted by user, guessing credentials gains nothing, because a wrong guess is counted by address.
 */
export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { windowMs, identify, onRefused } = options;
  const limit = options.requests + options.burst;
  const quota = createQuota(options);
  const userOf = async ({ credential }: Sender): Promise<string> => {
    if (options.by !== 'user' || credential === undefined) return '';
    return (await identify?.(credential))?.username ?? '';
  };
  return {
    async admit(sender) {
      const username = await userOf(sender);
      try {
        return quota(username === '' ? `ip ${clientNetwork(sender.ip ?? LOCAL)}` : `user ${username}`);
      } catch (error) {
        onRefused?.({ sender, username, limit, windowMs });
        throw error;
      }
    },
  };
}
