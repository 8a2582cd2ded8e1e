import type { Middleware, Next } from 'koa';
import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '../../errors/index.ts';
import { presentedCredential } from '../../lib/headers.ts';
import { askedBy, type WebRequest, type WebVerdict } from '../../lib/web-guard.ts';
import { changesState } from '../../operations/index.ts';
import type { HttpContext, RequestState } from './request.ts';
import { varyBy } from './respond.ts';
import type { Routes } from './routes.ts';

const EXPOSED =
  'X-Total-Count, X-Context-Truncated, X-Truncated, X-Next-Offset, X-Next-Cursor, X-Warnings, ETag, X-Request-Id, ' +
  'X-Quire-LSN, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Mcp-Session-Id, ' +
  'Content-Disposition';
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const PREFLIGHT_SECONDS = '600';

/** What a request may do according to its origin as browsers report it; undefined if the origin does not matter. */
export type JudgeWebRequest = (request: Pick<WebRequest, 'host' | 'origin'>) => WebVerdict | undefined;

export interface CrossOriginOptions {
  /** Origins whose pages may read the responses; `*` means all. */
  readonly origins: readonly string[];
  /** Rejects requests of other sites' pages on a server that requires no credential. */
  readonly judge: JudgeWebRequest;
  /** Paths that are open to every origin, for example health probes. */
  readonly openPaths: readonly string[];
  readonly routes: Routes;
}

/**
 * Cross-origin requests (decisions, section 5.3): `*` allows every origin without credentials, a list echoes the
 * origins that it contains. Requests that the judge rejects receive 403. Those that may only read are marked with
 * `readsOnly`, those for a part of a page with `isPart`, and `invoke` rejects their other operations.
 */
export function crossOrigin({ origins, judge, openPaths, routes }: CrossOriginOptions): Middleware<RequestState> {
  const any = origins.includes('*');
  const open = new Set(openPaths);
  return (ctx, next) => {
    const { origin, host, 'access-control-request-method': wanted } = ctx.headers;
    const verdict = open.has(ctx.path) ? undefined : judge({ host, origin });
    if (verdict !== undefined && verdict.may !== 'everything') {
      if (verdict.may === 'nothing') throw new ServiceError('forbidden', verdict.reason);
      ctx.state.readsOnly = verdict.reason;
    }
    markPage(ctx);
    const isAllowed = verdict !== undefined || (origin !== undefined && origins.includes(origin));
    const allowed = any ? '*' : isAllowed ? origin : undefined;
    if (ctx.state.readsOnly !== undefined && wanted !== undefined && ctx.method === 'OPTIONS' &&
      changesAt(routes, wanted, ctx.path)) throw new ServiceError('forbidden', ctx.state.readsOnly);
    return allowOrigin(ctx, next, allowed, { methods: METHODS, exposed: EXPOSED });
  };
}

/**
 * Lets pages of an origin read the response, `*` for all, and answers what a browser asks before its request. Undefined
 * lets no page read it.
 */
export function allowOrigin(ctx: HttpContext, next: Next, allowed: string | undefined,
  { methods, exposed }: { readonly methods: string; readonly exposed: string }): Promise<unknown> | undefined
{
  const { origin, 'access-control-request-method': wanted, 'access-control-request-headers': headers } = ctx.headers;
  if (allowed !== '*') varyBy(ctx, 'Origin');
  const isShared = allowed !== undefined && origin !== undefined;
  if (isShared) {
    ctx.set('Access-Control-Allow-Origin', allowed);
    ctx.set('Access-Control-Expose-Headers', exposed);
  }
  if (ctx.method !== 'OPTIONS') return next();
  if (isShared && wanted !== undefined) {
    ctx.set('Access-Control-Allow-Methods', methods);
    ctx.set('Access-Control-Allow-Headers', headers ?? 'Content-Type');
    ctx.set('Access-Control-Max-Age', PREFLIGHT_SECONDS);
  }
  ctx.status = 204;
  return undefined;
}

/**
 * Requests that show a page or a part of it may only read: a link or an image in a document is enough to send them, as
 * it is on a page of another site.
 */
function markPage({ state, method, headers }: HttpContext): void {
  const by = askedBy(headers);
  if (by === 'part') state.isPart = true;
  if (by !== 'script') state.readsOnly ??= SHOWN;
  else if ((method === 'GET' || method === 'HEAD') && isFromForeignPage(headers)) state.readsOnly ??= FOREIGN;
}

const SHOWN =
  'what a browser asks for to show it, such as a link or an image, may only read; send a POST from a program or ' +
  'from a script of this server';
const FOREIGN =
  'a GET that a browser sends for a page of another site may only read; send a POST from a program or from a ' +
  'script of this server';

function changesAt(routes: Routes, method: string, path: string): boolean {
  const match = routes.match(method, path);
  return match !== undefined && 'spec' in match && changesState(match.spec);
}

/**
 * Whether a browser sends a GET for a page of another site, which needs neither `Origin` nor a preflight request.
 * Browsers report the site in `Sec-Fetch-Site`. Over plain HTTP to another machine they send no such header; then every
 * GET of a browser counts that carries no credential.
 */
function isFromForeignPage(headers: IncomingHttpHeaders): boolean {
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
