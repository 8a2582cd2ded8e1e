import { pipeline, Readable } from 'node:stream';
import type { Middleware } from 'koa';
import { compress, compressor, type Encoding, isWorthCompressing, preferredEncoding } from '../../lib/content-encoding.ts';
import type { HttpContext, RequestState } from './operation-endpoint.ts';

/**
 * Compresses what koa sends, and lets `sendJson` compress what it sends itself. Left as they are: answers up to 1 KiB,
 * events that a client waits for one by one, files that are compressed already, and answers that hold a credential:
 * what is compressed together with it tells of it by its length (BREACH).
 */
export function compression(): Middleware<RequestState> {
  return async (ctx, next) => {
    ctx.state.compresses = true;
    await next();
    if (ctx.respond !== false) await compressBody(ctx);
  };
}

/** The JSON of an answer, compressed, with its encoding; undefined where it is sent as it is. */
export async function compressedText(ctx: HttpContext, text: string): Promise<{ readonly bytes: Buffer; readonly encoding: string } | undefined> {
  if (ctx.state.compresses !== true || !isWorthCompressing(text) || holdsCredential(ctx)) return undefined;
  const encoding = negotiate(ctx);
  return encoding === undefined ? undefined : { bytes: await compress(text, encoding), encoding };
}

async function compressBody(ctx: HttpContext): Promise<void> {
  const body: unknown = ctx.body;
  const isStream = body instanceof Readable;
  if (!isStream && !((typeof body === 'string' || Buffer.isBuffer(body)) && isWorthCompressing(body))) return;
  if (!isCompressible(ctx) || holdsCredential(ctx)) return;
  const encoding = negotiate(ctx);
  // The answer to HEAD has no body to compress.
  if (encoding === undefined || ctx.method === 'HEAD') return;
  const type = headerOf(ctx, 'Content-Type');
  // A source that fails tears the compressor down with it, and so the connection.
  ctx.body = isStream ? pipeline(body, compressor(encoding), () => undefined) : await compress(body as string | Buffer, encoding);
  ctx.set('Content-Type', type);
  setEncoding(ctx, encoding);
}

/** Marks an answer as encoded. A strong entity tag names the bytes, so that each encoding has one of its own. */
export function setEncoding(ctx: HttpContext, encoding: string): void {
  ctx.set('Content-Encoding', encoding);
  const tag = headerOf(ctx, 'ETag');
  if (tag.startsWith('"')) ctx.set('ETag', tag.replace(/"$/, `-${encoding}"`));
}

/** By media type. Events and progress are flushed one by one, which compression would hold back; parts of a file have offsets in it. */
function isCompressible(ctx: HttpContext): boolean {
  if (ctx.status === 206 || headerOf(ctx, 'Content-Encoding') !== '' || headerOf(ctx, 'Content-Range') !== '' || headerOf(ctx, 'Cache-Control').includes('no-transform')) return false;
  return /^(?!text\/event-stream)(?:text\/|application\/(?:.+\+)?(?:json|yaml|xml|javascript|x-ndjson)\b)/.test(ctx.response.type);
}

/** Answers with keys and tokens are the ones that say `no-store`; those of GraphQL all do, and say nothing by it. */
function holdsCredential(ctx: HttpContext): boolean {
  return ctx.state.operation !== undefined && headerOf(ctx, 'Cache-Control') === 'no-store';
}

const headerOf = ({ res }: HttpContext, name: string): string => String(res.getHeader(name) ?? '');

/** Caches hear that the answer depends on what the client accepts, whichever encoding it is. */
function negotiate(ctx: HttpContext): Encoding | undefined {
  ctx.vary('Accept-Encoding');
  return preferredEncoding(ctx.headers['accept-encoding']);
}
