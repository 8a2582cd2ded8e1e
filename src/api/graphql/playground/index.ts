import type { Middleware } from 'koa';
import { createGunzip } from 'node:zlib';
import { askThread, workerFile } from '../../../lib/thread-client.ts';
import { type HttpContext, type RequestState, requireReading } from '../../http/index.ts';

/**
 * The page may load its own files only, so it works without a network and runs no external code. Its editor creates
 * styles at run time, and runs its parsers in threads whose code is part of the page's own script.
 */
const PAGE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; worker-src " +
  "'self' blob:";

/** Serves GraphiQL at `base`, for the endpoint of the same server; nothing of it is loaded before the first request. */
export function playgroundPages(base: string, endpoint: string): Middleware<RequestState> {
  const files = createFileLoader({ endpoint, base });
  return async (ctx, next) => {
    if (ctx.path !== base && !ctx.path.startsWith(`${base}/`)) return next();
    const name = ctx.path === `${base}/` ? '' : ctx.path.slice(base.length);
    if (!NAMES.has(name)) return next();
    requireReading(ctx);
    send(ctx, (await files()).get(name)!);
    if (name === '') ctx.set('Content-Security-Policy', PAGE_POLICY);
    return undefined;
  };
}

const NAMES: ReadonlySet<string> = new Set(['', '/graphiql.css', '/graphiql.js']);

function send(ctx: HttpContext, { type, etag, br, gzip }: PlaygroundFile): void {
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

/** A file of the playground, compressed in both encodings that browsers accept. */
export interface PlaygroundFile {
  readonly type: string;
  /** Entity tag of the content, in quotes. */
  readonly etag: string;
  readonly br: Uint8Array;
  readonly gzip: Uint8Array;
}

/** The files by their path below the playground's path; the page itself has the empty path. */
type PlaygroundFiles = ReadonlyMap<string, PlaygroundFile>;

/** The request to the thread. */
export interface PlaygroundOptions {
  readonly endpoint: string;
  readonly base: string;
}

/** Makes the files of the playground in a thread of their own; called again only after a failure. */
function createFileLoader(options: PlaygroundOptions): () => Promise<PlaygroundFiles> {
  let files: Promise<PlaygroundFiles> | undefined;
  return () => {
    files ??= load(options).catch((error: unknown) => {
      files = undefined;
      throw error;
    });
    return files;
  };
}

/** The thread must not keep a process alive that was asked to stop. */
function load(options: PlaygroundOptions): Promise<PlaygroundFiles> {
  return askThread(workerFile(import.meta.url, 'thread'), options, {
    name: 'the thread of the playground',
    keepsAlive: false,
  });
}
