import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, createZstdCompress, gzip, zstdCompress } from 'node:zlib';
import type { Middleware } from 'koa';
import type { HttpContext, RequestState } from './operation-endpoint.ts';

/** Smaller answers fit into one packet either way. */
export const MIN_COMPRESSED_BYTES = 1024;

type Encoding = 'zstd' | 'br' | 'gzip';

/** The server's order of preference: by what each saves in the time that it takes. */
const ENCODINGS: readonly Encoding[] = ['zstd', 'br', 'gzip'];

const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };
/** The default, 11, is for files that are compressed once. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT } };
const GZIP = { level: 5 };

/** Each in a thread of the platform's pool, so that the event loop is free for others. */
const COMPRESS: Readonly<Record<Encoding, (body: string | Uint8Array) => Promise<Buffer>>> = {
  zstd: (body) => promisify(zstdCompress)(body, ZSTD),
  br: (body) => promisify(brotliCompress)(body, BROTLI),
  gzip: (body) => promisify(gzip)(body, GZIP),
};

const STREAMS: Readonly<Record<Encoding, () => Transform>> = {
  zstd: () => createZstdCompress(ZSTD),
  br: () => createBrotliCompress(BROTLI),
  gzip: () => createGzip(GZIP),
};

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
  if (ctx.state.compresses !== true || !isOver(text) || holdsCredential(ctx)) return undefined;
  const encoding = negotiate(ctx);
  return encoding === undefined ? undefined : { bytes: await COMPRESS[encoding](text), encoding };
}

async function compressBody(ctx: HttpContext): Promise<void> {
  const body: unknown = ctx.body;
  const isStream = body instanceof Readable;
  if (!isStream && !((typeof body === 'string' || Buffer.isBuffer(body)) && isOver(body))) return;
  if (!isCompressible(ctx) || holdsCredential(ctx)) return;
  const encoding = negotiate(ctx);
  // The answer to HEAD has no body to compress.
  if (encoding === undefined || ctx.method === 'HEAD') return;
  const type = headerOf(ctx, 'Content-Type');
  // A source that fails tears the compressor down with it, and so the connection.
  ctx.body = isStream ? pipeline(body, STREAMS[encoding](), () => undefined) : await COMPRESS[encoding](body as string | Buffer);
  ctx.set('Content-Type', type);
  setEncoding(ctx, encoding);
}

/** Marks an answer as encoded. A strong entity tag names the bytes, so that each encoding has one of its own. */
export function setEncoding(ctx: HttpContext, encoding: string): void {
  ctx.set('Content-Encoding', encoding);
  const tag = headerOf(ctx, 'ETag');
  if (tag.startsWith('"')) ctx.set('ETag', tag.replace(/"$/, `-${encoding}"`));
}

/** Counts no bytes where the length alone decides. */
function isOver(body: string | Buffer): boolean {
  return body.length > MIN_COMPRESSED_BYTES || (typeof body === 'string' && body.length * 3 > MIN_COMPRESSED_BYTES && Buffer.byteLength(body) > MIN_COMPRESSED_BYTES);
}

/** By media type. Events are flushed one by one, which compression would hold back; parts of a file have offsets in it. */
function isCompressible(ctx: HttpContext): boolean {
  if (ctx.status === 206 || headerOf(ctx, 'Content-Encoding') !== '' || headerOf(ctx, 'Content-Range') !== '') return false;
  return /^(?!text\/event-stream)(?:text\/|application\/(?:.+\+)?(?:json|yaml|xml|javascript|x-ndjson)\b)/.test(ctx.response.type);
}

/** Answers with keys and tokens are the ones that say `no-store`; those of GraphQL all do, and say nothing by it. */
function holdsCredential(ctx: HttpContext): boolean {
  return ctx.state.operation !== undefined && headerOf(ctx, 'Cache-Control') === 'no-store';
}

const headerOf = ({ res }: HttpContext, name: string): string => String(res.getHeader(name) ?? '');

/**
 * The encoding that the client wants most; among those that it wants alike the server's first. Caches hear that the
 * answer depends on it, whichever it is.
 */
function negotiate(ctx: HttpContext): Encoding | undefined {
  ctx.vary('Accept-Encoding');
  const accepted = ctx.headers['accept-encoding'];
  if (accepted === undefined || accepted === '') return undefined;
  if (!accepted.includes(';')) return ENCODINGS.find((encoding) => ctx.acceptsEncodings(encoding) === encoding);
  const best = ctx.acceptsEncodings(...ENCODINGS, 'identity');
  return ENCODINGS.find((encoding) => encoding === best);
}
