import type { DocumentService } from '../../docs/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { type ClientBounds, SlowBodies, type SlowBodyReports } from '../../lib/slow-bodies.ts';
import { createAddressReader, type ReadAddress } from '../../lib/trusted-proxies.ts';
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
  return { readAddress: clients.readAddress, clients, ...(enabled && { limit }) };
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
