import type { Middleware } from 'koa';
import { pipeline, Readable } from 'node:stream';
import { compress, compressor, type Encoding, isWorthCompressing, preferredEncoding } from '../../lib/responses.ts';
import { varyBy } from './caching.ts';
import type { HttpContext, RequestState } from './operation-endpoint.ts';

/**
 * Compresses the responses that koa sends, and lets `sendJson` compress those that it sends itself. Not compressed:
 * responses up to 1 KiB, events that a client awaits one by one, files that are already compressed, and responses that
 * contain a credential, because the compressed length reveals something about it (BREACH).
 */
export function compression(): Middleware<RequestState> {
  return async (ctx, next) => {
    ctx.state.compresses = true;
    await next();
    if (ctx.respond !== false) await compressBody(ctx);
  };
}

/** Compresses the JSON of a response; undefined if it is sent uncompressed. */
export function compressedJson(ctx: HttpContext, json: string | Buffer): Promise<
  { readonly bytes: Buffer; readonly encoding: string }
> | undefined {
  if (ctx.state.compresses !== true || !isWorthCompressing(json) || holdsCredential(ctx)) return undefined;
  const encoding = negotiate(ctx);
  return encoding === undefined ? undefined : compress(json, encoding).then((bytes) => ({ bytes, encoding }));
}

async function compressBody(ctx: HttpContext): Promise<void> {
  const body: unknown = ctx.body;
  const isStream = body instanceof Readable;
  if (!isStream && !((typeof body === 'string' || Buffer.isBuffer(body)) && isWorthCompressing(body))) return;
  if (!isCompressible(ctx) || holdsCredential(ctx)) return;
  const encoding = negotiate(ctx);
  // The response to HEAD has no body to compress.
  if (encoding === undefined || ctx.method === 'HEAD') return;
  const type = headerOf(ctx, 'Content-Type');
  // If the source fails, the pipeline destroys the compressor, and thereby the connection.
  ctx.body = isStream
    ? pipeline(body, compressor(encoding), () => undefined)
    : await compress(body as string | Buffer, encoding);
  ctx.set('Content-Type', type);
  setEncoding(ctx, encoding);
}

/** Marks a response as encoded. A strong entity tag identifies the bytes, so each encoding has its own. */
export function setEncoding(ctx: HttpContext, encoding: string): void {
  ctx.set('Content-Encoding', encoding);
  const tag = headerOf(ctx, 'ETag');
  if (tag.startsWith('"')) ctx.set('ETag', tag.replace(/"$/, `-${encoding}"`));
}

/**
 * Decides by media type. Events and progress are flushed one by one, which compression would delay; parts of a file are
 * addressed by offset.
 */
function isCompressible(ctx: HttpContext): boolean {
  if (ctx.status === 206 || headerOf(ctx, 'Content-Encoding') !== '' || headerOf(ctx, 'Content-Range') !== '' ||
    headerOf(ctx, 'Cache-Control').includes('no-transform')) return false;
  return /^(?!text\/event-stream)(?:text\/|application\/(?:.+\+)?(?:json|yaml|xml|javascript|x-ndjson)\b)/.test(
    ctx.response.type,
  );
}

/**
 * Responses with keys and tokens are those with `no-store`. All GraphQL responses have it, so it says nothing there.
 */
function holdsCredential(ctx: HttpContext): boolean {
  return ctx.state.operation !== undefined && headerOf(ctx, 'Cache-Control') === 'no-store';
}

const headerOf = ({ res }: HttpContext, name: string): string => String(res.getHeader(name) ?? '');

/** `Vary` tells caches that the response depends on the encodings that the client accepts, whichever is chosen. */
function negotiate(ctx: HttpContext): Encoding | undefined {
  varyBy(ctx, 'Accept-Encoding');
  return preferredEncoding(ctx.headers['accept-encoding']);
}
