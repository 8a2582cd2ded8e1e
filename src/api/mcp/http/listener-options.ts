import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { ReadAddress } from '../../../lib/trusted-proxies.ts';
import type { AccessCheck, AccessWatch, RateLimit } from '../../../operations/index.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Sender } from '../core/call-context.ts';
import type { McpCore } from '../core/core.ts';
import type { Revisions } from '../revisions.ts';
import type { OriginOptions } from './origin-guard.ts';
import type { RateLimitOptions } from './rate-limit.ts';

export interface ListenerOptions {
  readonly core: McpCore;
  readonly revisions: Revisions;
  readonly authenticator: Authenticator;
  /** The rate limit of MCP itself. */
  readonly rateLimit: RateLimitOptions;
  /** The rate limit that all protocols share, which is checked first. */
  readonly limit?: RateLimit | undefined;
  /** Returns the client's address. Forwarding headers are ignored unless this says which proxies to trust. */
  readonly readAddress?: ReadAddress;
  /** Monitors a credential while a session or stream is open. */
  readonly follow: (check: AccessCheck) => AccessWatch;
  /** Called for each sender that was rejected; must not throw. */
  readonly onRefused?: (refused: RefusedSender) => void;
  readonly origin: OriginOptions;
  readonly maxBodyBytes: number;
  /** Whether responses are compressed for clients that accept it. */
  readonly compress?: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** A sender that was rejected, and the path. */
export type RefusedSender = Pick<Sender, 'ip' | 'userAgent' | 'credential'> & { readonly path: string };
