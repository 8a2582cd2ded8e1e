import Router from '@koa/router';
import type { Middleware } from 'koa';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type HttpContext, notAllowed, type RequestState } from './request.ts';
import { isKnown, notModified } from './respond.ts';

/** The web console of one service. */
type ConsoleOf = 'docs' | 'runs';

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
    requireReading(ctx);
    return send(ctx, file, page !== undefined);
  };
}

/** Throws 405 unless a page is only read. */
export function requireReading({ method }: HttpContext): void {
  if (method !== 'GET' && method !== 'HEAD') throw notAllowed(method, ['GET', 'HEAD']);
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

const require = createRequire(import.meta.url);

/** Files of the reference page that come from the package that renders it. */
const ASSETS: ReadonlyMap<string, string> = new Map([
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
]);

const START_SCRIPT = `
window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  validatorUrl: null,
});
`;

const referencePage = (title: string): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** The page may load its own files only, so it works without a network and runs no external code. */
const REFERENCE_POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

export interface Description {
  readonly title: string;
  readonly json: string;
  readonly yaml: string;
  /** OpenAPI 3.0, for client generators. */
  readonly plainJson: string;
}

const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Serves the specification at `/openapi.json`, `/openapi.yaml` and `/openapi-3.0.json`, and a page that displays it at
 * `/docs`.
 */
export function describeService({ title, json, yaml, plainJson }: Description): Middleware<RequestState> {
  const pages = new Router<RequestState>();
  const text = (path: string, type: string, body: string) =>
    pages.get(path, (ctx) => {
      ctx.type = type;
      ctx.body = body;
    });
  text('/openapi.json', JSON_TYPE, json);
  text('/openapi.yaml', 'application/yaml; charset=utf-8', yaml);
  text('/openapi-3.0.json', JSON_TYPE, plainJson);
  text('/docs/start.js', 'text/javascript; charset=utf-8', START_SCRIPT);
  pages.get('/docs', (ctx) => {
    ctx.type = HTML;
    ctx.set('Content-Security-Policy', REFERENCE_POLICY);
    ctx.body = referencePage(title);
  });
  for (const [path, type] of ASSETS)
    pages.get(path, async (ctx) => {
      ctx.type = type;
      ctx.set('Cache-Control', 'public, max-age=86400');
      ctx.body = await readAsset(path);
    });
  return pages.routes() as Middleware<RequestState>;
}

function readAsset(path: string): Promise<Buffer> {
  return readFile(join(dirname(require.resolve('swagger-ui-dist/package.json')), path.slice('/docs/'.length)));
}
