import type { Middleware } from 'koa';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServiceError } from '../../errors/index.ts';
import type { HttpContext, RequestState } from './request.ts';
import { isKnown, notModified } from './respond.ts';

/** The web console of one service. */
export type ConsoleOf = 'docs' | 'runs';

interface ConsoleFile {
  readonly type: string;
  readonly etag: string;
  readonly bytes: Buffer;
}

/** Files of the built console by their path below `generated/console`. */
type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

/** It is at the same place relative to the sources and to the package. */
const FOLDER = fileURLToPath(new URL('../../../generated/console/', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/**
 * The pages run only their own script files, never inline scripts, and connect to this server only. They load no image
 * of any server: an image of a document could have any path of this one.
 */
export const CONSOLE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: blob:; connect-src 'self'; manifest-src " +
  "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Serves the console at `/console` and a page with links at `/`. The files are read at the first request for one of
 * them. Browsers revalidate pages each time, and the response is 304 while they are unchanged; the names of all other
 * files contain a hash of their content, so browsers cache them permanently.
 */
export function consolePages(service: ConsoleOf): Middleware<RequestState> {
  let loaded: Promise<ConsoleFiles> | undefined;
  const pages = new Map([['/', `${service}-home.html`], ['/console', `${service}.html`], ['/console/',
    `${service}.html`]]);
  return async (ctx, next) => {
    const page = pages.get(ctx.path);
    if (page === undefined && !ctx.path.startsWith('/console/assets/')) return next();
    const file = (await (loaded ??= readFiles())).get(page ?? ctx.path.slice('/console/'.length));
    if (file === undefined) return next();
    ctx.state.path = ctx.path === '/' ? '/' : '/console';
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      throw new ServiceError('method_not_allowed', `method ${ctx.method} is not allowed`, {
        headers: { Allow: 'GET, HEAD' },
      });
    }
    return send(ctx, file, page !== undefined);
  };
}

async function readFiles(): Promise<ConsoleFiles> {
  const names = (await readdir(FOLDER, { recursive: true })).filter((name) => extname(name) in TYPES);
  const files = names.map(async (name): Promise<[string, ConsoleFile]> => {
    const bytes = await readFile(join(FOLDER, name));
    return [name.replaceAll('\\', '/'), {
      bytes,
      type: TYPES[extname(name)]!,
      etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    }];
  });
  return new Map(await Promise.all(files));
}

function send(ctx: HttpContext, { type, etag, bytes }: ConsoleFile, isPage: boolean): void {
  ctx.set('ETag', etag);
  ctx.set('Cache-Control', isPage ? 'no-cache' : 'public, max-age=31536000, immutable');
  if (isPage) ctx.set('Content-Security-Policy', CONSOLE_POLICY);
  if (isKnown(plainTags(ctx.get('If-None-Match')), etag)) {
    notModified(ctx);
    return;
  }
  ctx.status = 200;
  ctx.type = type;
  ctx.body = bytes;
}

/** The entity tag of a compressed response ends with its encoding. */
function plainTags(header: string): string | undefined {
  return header === '' ? undefined : header.replace(/-(?:br|gzip|zstd)"/g, '"');
}
