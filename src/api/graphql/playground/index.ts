import type { Middleware, ParameterizedContext } from 'koa';
import { createGunzip } from 'node:zlib';
import { ServiceError } from '../../../errors/index.ts';
import { createFileLoader, type PlaygroundFile } from './files.ts';

/**
 * The page may load its own files only, so it works without a network and runs no external code. Its editor creates
 * styles at run time, and runs its parsers in threads whose code is part of the page's own script.
 */
const PAGE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; worker-src " +
  "'self' blob:";

/** Serves GraphiQL at `base`, for the endpoint of the same server; nothing of it is loaded before the first request. */
export function playgroundPages(base: string, endpoint: string): Middleware {
  const files = createFileLoader({ endpoint, base });
  return async (ctx, next) => {
    if (ctx.path !== base && !ctx.path.startsWith(`${base}/`)) return next();
    const name = ctx.path === `${base}/` ? '' : ctx.path.slice(base.length);
    if (!NAMES.has(name)) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      throw new ServiceError('method_not_allowed', `method ${ctx.method} is not allowed`, {
        headers: { Allow: 'GET, HEAD' },
      });
    }
    send(ctx, (await files()).get(name)!);
    if (name === '') ctx.set('Content-Security-Policy', PAGE_POLICY);
    return undefined;
  };
}

const NAMES: ReadonlySet<string> = new Set(['', '/graphiql.css', '/graphiql.js']);

function send(ctx: ParameterizedContext, { type, etag, br, gzip }: PlaygroundFile): void {
  const encoding = (['br', 'gzip'] as const).find((each) => ctx.acceptsEncodings(each) === each);
  ctx.status = 200;
  ctx.type = type;
  ctx.vary('Accept-Encoding');
  // Browsers revalidate it each time; the response is 304 while the build is the same.
  ctx.set('Cache-Control', 'no-cache');
  ctx.etag = encoding === undefined ? etag : etag.replace(/"$/, `-${encoding}"`);
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  if (encoding === undefined) {
    const plain = createGunzip();
    plain.end(gzip);
    ctx.body = plain;
    return;
  }
  ctx.set('Content-Encoding', encoding);
  ctx.body = Buffer.from(encoding === 'br' ? br : gzip);
}
