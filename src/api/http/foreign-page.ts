import { ServiceError } from '../../errors/index.ts';
import { presentedCredential } from '../../lib/credential.ts';
import { changesState, type OperationSpec } from '../../operations/index.ts';
import type { HttpContext } from './operation-endpoint.ts';

/**
 * Rejects a GET that changes something if a browser sends it for a page of another site: an image on that page is
 * enough to send it, without `Origin` and without a preflight request (decision D-140). Browsers report the site in
 * `Sec-Fetch-Site`. Over plain HTTP to another machine they send no such header; then the request is accepted only if
 * it carries a credential or does not come from a browser.
 */
export function refuseForeignPage(spec: OperationSpec, { headers }: HttpContext): void {
  if (spec.method !== 'GET' || !changesState(spec)) return;
  const site = headers['sec-fetch-site'];
  const isForeign = site === undefined ? isBrowser(headers['user-agent']) && presentedCredential(headers['x-api-key'], headers.authorization) === undefined : !OWN_SITES.has(String(site));
  if (isForeign) throw new ServiceError('forbidden', `GET ${spec.path} is refused to web pages of other sites, for it writes; send POST ${spec.path}`);
}

/** A page of the same origin, or the user of the browser directly. */
const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none']);

/**
 * Every browser's user agent begins so, and no page can change it for a request without a preflight. PowerShell's does,
 * too, but it also contains its name.
 */
function isBrowser(userAgent: string | undefined): boolean {
  return userAgent !== undefined && userAgent.startsWith('Mozilla/') && !userAgent.includes('PowerShell/');
}
