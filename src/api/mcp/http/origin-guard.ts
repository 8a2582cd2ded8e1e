import { isIP } from 'node:net';
import { REFUSED } from '../core/fault.ts';
import { plainAddress } from '../../../lib/trusted-proxies.ts';
import { Refusal, type Exchange } from './exchange.ts';

export interface OriginOptions {
  /** Web origins that may call beside those of this machine; `*` stands for no particular one, so for none. */
  readonly origins: readonly string[];
  /** Host that the server listens on, where it is a name. */
  readonly host?: string;
}

const CORS = {
  'Access-Control-Allow-Methods': 'GET, POST, DELETE',
  'Access-Control-Max-Age': '600',
  'Access-Control-Expose-Headers': 'Mcp-Session-Id, MCP-Protocol-Version, X-Request-Id, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, WWW-Authenticate',
};

/**
 * Refuses what a web page of a stranger sends (decision D-114): a foreign `Origin`, and on the loopback
 * interface a `Host` that is no name of this machine, as a page sends it whose name was made to point
 * here (DNS rebinding). Allowed origins get the headers of cross-origin requests.
 */
export function createOriginGuard({ origins, host }: OriginOptions): (exchange: Exchange) => void {
  const listed = new Set(origins.filter((origin) => origin !== '*'));
  const names = new Set([...listed].flatMap((origin) => URL.parse(origin)?.hostname ?? []));
  if (host !== undefined && isIP(host) === 0) names.add(host.toLowerCase());
  return ({ request, response }) => {
    const { origin } = request.headers;
    if (isLoopbackAddress(plainAddress(request.socket.localAddress) ?? '')) {
      const name = hostName(`http://${request.headers.host ?? ''}`);
      if (name === undefined || !(isOwnName(name) || names.has(name))) {
        throw new Refusal(403, REFUSED, 'Host is not a name of this machine; SVC_CORS_ORIGINS can allow others');
      }
    }
    response.setHeader('Vary', 'Origin');
    if (origin === undefined) return;
    const name = hostName(origin);
    if (!listed.has(origin) && !(name !== undefined && isOwnName(name))) throw new Refusal(403, REFUSED, 'Origin is not allowed; SVC_CORS_ORIGINS can allow it');
    response.setHeader('Access-Control-Allow-Origin', origin);
    for (const [header, value] of Object.entries(CORS)) response.setHeader(header, value);
    const wanted = request.headers['access-control-request-headers'];
    if (wanted !== undefined) response.setHeader('Access-Control-Allow-Headers', wanted);
  };
}

function hostName(url: string): string | undefined {
  return URL.parse(url)?.hostname.toLowerCase() || undefined;
}

function isOwnName(name: string): boolean {
  return name === 'localhost' || isLoopbackAddress(name.replace(/^\[(.*)\]$/, '$1'));
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}
