import { isIP } from 'node:net';
import { RefusedRequest } from '../lib/refused-request.ts';
import { bare, refusalOf } from './guarded-connector.ts';
import type { OutboundPolicy } from './outbound-policy.ts';

/**
 * Throws `RefusedRequest` for everything that is wrong with a URL without resolving its name: a scheme other than http
 * and https, a user name or password, or an address that the policy forbids. Parsing the URL has already normalised
 * numeric hosts: `http://2130706433/` and `http://0x7f.1/` are 127.0.0.1.
 */
export function checkUrl(url: URL, policy: OutboundPolicy): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new RefusedRequest('scheme', `the URL must begin with http:// or https://, got ${url.protocol}`);
  if (url.username !== '' || url.password !== '')
    throw new RefusedRequest('credentials', 'the URL must not hold a user name or password');
  const host = bare(url.hostname);
  const refusal = isIP(host) === 0 ? undefined : refusalOf(policy, host, host);
  if (refusal !== undefined) throw refusal;
}
