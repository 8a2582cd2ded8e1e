import { RefusedRequest } from '../lib/refused-request.ts';
import { systemTimer, type Timer } from '../lib/timer.ts';
import { checkUrl } from './check-url.ts';
import { guardedConnector } from './guarded-connector.ts';
import { guardedFetch, type FetchLimits } from './guarded-fetch.ts';
import { guardedSender, type Send } from './guarded-sender.ts';
import { OutboundPolicy, type OutboundSettings } from './outbound-policy.ts';
import type { Resolve } from './resolve.ts';
import { Agent } from './undici.ts';

/** Every request that a user can cause goes through here. */
export interface Outbound {
  /** A `fetch` that calls what the policy permits; without limits of its own, 10 MiB and 30 s. */
  fetch(limits?: Partial<FetchLimits>): typeof fetch;
  /** Sends many small requests, without redirects, whose answers' bodies do not matter: at most `maxBytes` of them are read. */
  sender(limits: FetchLimits): Send;
  /** Why a URL can never be called, as far as it tells without its name being resolved; undefined when it may be. For checking what users store. */
  refusal(url: string): string | undefined;
  /** Ends what is under way. */
  close(): Promise<void>;
}

export interface OutboundDeps {
  readonly timer?: Timer;
  /** Other than the system's resolver; for tests. */
  readonly resolve?: Resolve;
}

const LIMITS: FetchLimits = { maxBytes: 10 * 1024 * 1024, timeoutMs: 30_000 };

/** Longest that nothing may come of an answer that has begun, or before it begins; the limits of a call end most before. */
const SILENCE_MS = 60_000;

/** Proxies that the environment names are not used: they would resolve names themselves, and nothing could be judged. */
export function createOutbound(settings: OutboundSettings, { timer = systemTimer, resolve }: OutboundDeps = {}): Outbound {
  const policy = new OutboundPolicy(settings);
  const dispatcher = new Agent({ connect: guardedConnector(policy, resolve), headersTimeout: SILENCE_MS, bodyTimeout: SILENCE_MS });
  return {
    fetch: (limits = {}) => guardedFetch({ ...LIMITS, ...limits, policy, dispatcher, timer }),
    sender: (limits) => guardedSender({ ...limits, policy, dispatcher, timer }),
    refusal(url) {
      const parsed = URL.parse(url);
      if (parsed === null) return 'expected an absolute URL';
      try {
        checkUrl(parsed, policy);
        return undefined;
      } catch (error) {
        if (error instanceof RefusedRequest) return error.message;
        throw error;
      }
    },
    close: () => dispatcher.destroy(),
  };
}
