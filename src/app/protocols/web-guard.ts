import type { Address } from '../../lib/address.ts';
import { createWebGuard, ownNames, type WebGuard, type WebReach } from '../../lib/web-guard.ts';
import type { Settings } from '../settings/index.ts';

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
