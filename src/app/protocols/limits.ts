import type { DocumentService } from '../../docs/index.ts';
import type { Address } from '../../lib/address.ts';
import type { Clock } from '../../lib/clock.ts';
import { type ClientBounds, SlowBodies, type SlowBodyReports } from '../../lib/slow-bodies.ts';
import { createAddressReader, type ReadAddress } from '../../lib/trusted-proxies.ts';
import { createWebGuard, ownNames, type WebGuard, type WebReach } from '../../lib/web-guard.ts';
import { createRateLimit, type RateLimit } from '../../operations/index.ts';
import type { Settings } from '../settings/index.ts';

/** Limits that all protocols share, so that the choice of the protocol makes no difference. */
export interface SharedLimits {
  /** Returns the address under which a request is counted and logged. */
  readonly readAddress: ReadAddress;
  /** Absent when it is off. */
  readonly limit?: RateLimit;
  /** What each client may hold. */
  readonly clients: ClientBounds;
}

export function createLimits(settings: Settings, { access, audit }: DocumentService, clock: Clock): SharedLimits {
  const { rateLimit: { enabled, window: windowMs, ...rest } } = settings;
  const limit = createRateLimit({
    ...rest,
    windowMs,
    clock,
    identify: access.identify,
    onRefused: audit.observeRefusal,
  });
  const clients = createClientBounds(settings, new SlowBodies({ perClient: settings.limits.slowBodies }));
  return { readAddress: clients.readAddress, clients, limit: enabled ? limit : undefined };
}

export function createClientBounds({ limits: { trustedProxies } }: Settings,
  slowBodies: SlowBodyReports): ClientBounds
{
  return {
    readAddress: createAddressReader(trustedProxies),
    isProxy: (address) => trustedProxies.some((network) => network.contains(address)),
    slowBodies,
  };
}

/**
 * Rejects requests of other sites' pages to a listener; `others` is what pages of origins that are not listed may do.
 */
export function webGuardOf({ cors }: Settings, address: Address, others: WebReach): WebGuard {
  const host = address.kind === 'tcp' ? address.host : undefined;
  return createWebGuard({ origins: cors.origins.listed, others, names: ownNames(host), remedy });
}

function remedy(origin: string): string {
  const isOrigin = /^https?:$/.test(URL.parse(origin)?.protocol ?? '');
  return isOrigin ? `let it in with SVC_CORS_ORIGINS=${origin}` : 'name the origins that may call in SVC_CORS_ORIGINS';
}

/** Assumed bytes per token, as in `contextTokenBudget`. */
const BYTES_PER_TOKEN = 4;

/** Most bytes of a tool's result. */
export function mcpAnswerBytes({ mcp }: Settings): number {
  return mcp.maxAnswerTokens * BYTES_PER_TOKEN;
}
