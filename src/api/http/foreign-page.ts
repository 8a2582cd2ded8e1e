import type { IncomingHttpHeaders } from 'node:http';
import { presentedCredential } from '../../lib/credential.ts';

/**
 * Whether a browser sends a GET for a page of another site, which needs neither `Origin` nor a preflight request.
 * Browsers report the site in `Sec-Fetch-Site`. Over plain HTTP to another machine they send no such header; then every
 * GET of a browser counts that carries no credential.
 */
export function isFromForeignPage(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return !OWN_SITES.has(String(site));
  return isBrowser(headers['user-agent']) &&
    presentedCredential(headers['x-api-key'], headers.authorization) === undefined;
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
