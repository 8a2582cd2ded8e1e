import type { Middleware } from 'koa';

const EXPOSED = 'X-Total-Count, X-Context-Truncated, X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Mcp-Session-Id, Content-Disposition';
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const PREFLIGHT_SECONDS = '600';

/**
 * Cross-origin requests (decisions, section 5.3): `*` allows every origin without credentials, a
 * list echoes the origins that it holds.
 */
export function cors(origins: readonly string[]): Middleware {
  const any = origins.includes('*');
  return async (ctx, next) => {
    if (!any) ctx.vary('Origin');
    const origin = ctx.headers.origin;
    const allowed = origin === undefined ? undefined : any ? '*' : origins.includes(origin) ? origin : undefined;
    if (allowed !== undefined) {
      ctx.set('Access-Control-Allow-Origin', allowed);
      ctx.set('Access-Control-Expose-Headers', EXPOSED);
    }
    if (ctx.method !== 'OPTIONS') return next();
    if (allowed !== undefined && ctx.headers['access-control-request-method'] !== undefined) {
      ctx.set('Access-Control-Allow-Methods', METHODS);
      ctx.set('Access-Control-Allow-Headers', String(ctx.headers['access-control-request-headers'] ?? 'Content-Type'));
      ctx.set('Access-Control-Max-Age', PREFLIGHT_SECONDS);
    }
    ctx.status = 204;
    return undefined;
  };
}
