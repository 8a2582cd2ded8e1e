import { ServiceError } from '../../errors/index.ts';
import { presentedCredential } from '../../lib/credential.ts';
import { changesState, type OperationSpec } from '../../operations/index.ts';
import type { HttpContext } from './operation-endpoint.ts';

/**
 * A GET that changes something is refused where a browser sends it for a page of another site: an image of that page
 * is enough to send it, without `Origin` and without being asked (decision D-140). Browsers say so in `Sec-Fetch-Site`;
 * over plain HTTP to another machine they say nothing, and then only who shows a credential is believed.
 */
export function refuseForeignPage(spec: OperationSpec, { headers }: HttpContext): void {
  if (spec.method !== 'GET' || !changesState(spec)) return;
  const site = headers['sec-fetch-site'];
  const isForeign = site === undefined ? isBrowser(headers['user-agent']) && presentedCredential(headers['x-api-key'], headers.authorization) === undefined : !OWN_SITES.has(String(site));
  if (isForeign) throw new ServiceError('forbidden', `GET ${spec.path} is refused to web pages of other sites, for it writes; send POST ${spec.path}`);
}

/** A page of the same origin, or the person at the browser. */
const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none']);

/** Every browser calls itself so, and no page can change that of a request that is not asked about. PowerShell does, too, and adds its name. */
function isBrowser(userAgent: string | undefined): boolean {
  return userAgent !== undefined && userAgent.startsWith('Mozilla/') && !userAgent.includes('PowerShell/');
}
