import { isLoopback } from '../../../lib/address.ts';
import { plainAddress } from '../../../lib/trusted-proxies.ts';
import { askedBy, type WebGuard } from '../../../lib/web-guard.ts';
import { REFUSED } from '../core/fault.ts';
import { type Exchange, Refusal } from './exchange.ts';

export interface OriginOptions {
  readonly guard: WebGuard;
  /**
   * True if no credential is required: then `Host` is checked on every interface, not only on the loopback interface.
   */
  readonly isOpen: boolean;
}

const CORS = {
  'Access-Control-Allow-Methods': 'GET, POST, DELETE',
  'Access-Control-Max-Age': '600',
  'Access-Control-Expose-Headers':
    'Mcp-Session-Id, MCP-Protocol-Version, X-Request-Id, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, ' +
    'X-RateLimit-Reset, WWW-Authenticate',
};

const SHOWN =
  'what a browser asks for to show it, such as a link or an image, opens no session; call MCP from a script or ' +
  'from a program';

/**
 * Rejects requests from pages of other sites. Pages that may only read elsewhere are rejected here, because one path
 * serves all tools, and so is what a browser wants to show. Allowed origins receive the headers of cross-origin
 * requests.
 */
export function createOriginGuard({ guard, isOpen }: OriginOptions): (exchange: Exchange) => void {
  return ({ request, response }) => {
    const { origin, host } = request.headers;
    const verdict = guard({ host, origin, anyHost: !isOpen && !isOnLoopback(request.socket.localAddress) });
    if (verdict.may !== 'everything') throw new Refusal(403, REFUSED, verdict.reason);
    if (askedBy(request.headers) !== 'script') throw new Refusal(403, REFUSED, SHOWN);
    response.setHeader('Vary', 'Origin');
    if (origin === undefined) return;
    response.setHeader('Access-Control-Allow-Origin', origin);
    for (const [header, value] of Object.entries(CORS)) response.setHeader(header, value);
    const wanted = request.headers['access-control-request-headers'];
    if (wanted !== undefined) response.setHeader('Access-Control-Allow-Headers', wanted);
  };
}

function isOnLoopback(local: string | undefined): boolean {
  return isLoopback({ kind: 'tcp', host: plainAddress(local) ?? '', port: 0 });
}
