import type { DocumentService } from '../../docs/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { createAddressReader, type ReadAddress } from '../../lib/trusted-proxies.ts';
import { createRateLimit, type RateLimit } from '../../operations/index.ts';
import type { Settings } from '../settings/index.ts';

/** Limits that all protocols share, so that the choice of the protocol makes no difference. */
export interface SharedLimits {
  /** Returns the address under which a request is counted and logged. */
  readonly readAddress: ReadAddress;
  /** Absent when it is off. */
  readonly limit?: RateLimit;
}

export function createLimits({ rateLimit, limits }: Settings, { access, observeRefusal }: DocumentService, clock: Clock): SharedLimits {
  const { enabled, window: windowMs, ...rest } = rateLimit;
  const limit = createRateLimit({ ...rest, windowMs, clock, identify: access.identify, onRefused: observeRefusal });
  return { readAddress: createAddressReader(limits.trustedProxies), ...(enabled && { limit }) };
}
