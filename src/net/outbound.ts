import type { Agent } from 'undici';
import { systemTimer, type Timer } from '../lib/clock.ts';
import { checkUrl, guardedConnector, type Resolve, undici } from './guarded-connector.ts';
import { type FetchLimits, guardedFetch } from './guarded-fetch.ts';
import { guardedSender, type Send } from './guarded-sender.ts';
import { OutboundPolicy, type OutboundSettings, RefusedRequest } from './outbound-policy.ts';

/** Every request that a user can cause goes through this interface. */
export interface Outbound {
  /** A `fetch` that calls only what the policy permits; the default limits are 10 MiB and 30 s. */
  fetch(limits?: Partial<FetchLimits>): typeof fetch;
  /**
   * Sends many small requests, without redirects, whose response bodies do not matter: at most `maxBytes` of each body
   * are read.
   */
  sender(limits: FetchLimits): Send;
  /**
   * Returns why a URL can never be called, as far as this is known without resolving its name; undefined if it may be.
   * Used to check URLs before they are stored.
   */
  refusal(url: string): string | undefined;
  /** Aborts requests in progress. */
  close(): Promise<void>;
}

export interface OutboundDeps {
  readonly timer?: Timer;
  /** Replaces the system's resolver; for tests. */
  readonly resolve?: Resolve;
}

const LIMITS: FetchLimits = { maxBytes: 10 * 1024 * 1024, timeoutMs: 30_000 };

/** Maximum time without data before or within a response; most calls end earlier, by their own limits. */
const SILENCE_MS = 60_000;

/**
 * Proxies from the environment are not used: they would resolve names themselves, so that addresses could not be
 * checked.
 */
export function createOutbound(settings: OutboundSettings,
  { timer = systemTimer, resolve }: OutboundDeps = {}): Outbound
{
  const policy = new OutboundPolicy(settings);
  let agent: Agent | undefined;
  let closed = false;
  const dispatcher = (): Agent => {
    if (agent !== undefined) return agent;
    agent = new (undici().Agent)({
      connect: guardedConnector(policy, resolve),
      headersTimeout: SILENCE_MS,
      bodyTimeout: SILENCE_MS,
    });
    // A destroyed agent rejects what is sent.
    if (closed) void agent.destroy();
    return agent;
  };
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
    close: async () => {
      closed = true;
      await agent?.destroy();
    },
  };
}
