import type { Middleware } from 'koa';
import { pipeline, Readable } from 'node:stream';
import { readEntityTags } from '../../lib/headers.ts';
import { compress, compressor, type Encoding, isWorthCompressing, preferredEncoding } from '../../lib/responses.ts';
import type { Download, OperationSpec } from '../../operations/index.ts';
import { joinedResponses } from './joined-responses.ts';
import type { HttpContext, RequestState } from './request.ts';

/** Writes an operation's result: JSON, a file, or no body for 204. Undefined if it is written already. */
export function respond(ctx: HttpContext, spec: OperationSpec, status: number, value: unknown): Promise<void>
  | undefined
{
  ctx.status = status;
  if (spec.produces.includes('application/json')) return sendJson(ctx, value);
  if (spec.produces.length === 0) ctx.body = null;
  else sendDownload(ctx, value as Download);
  return undefined;
}

/**
 * Writes head and body in one call and bypasses koa's own response, which saves an eighth of the time of a small
 * request. Sent with others of this turn. Undefined if the JSON is not compressed, for which nothing has to be awaited.
 */
export function sendJson(ctx: HttpContext, value: unknown): Promise<void> | undefined {
  const json = JSON.stringify(value);
  const compressing = compressedJson(ctx, json);
  if (compressing === undefined) return send(ctx, json);
  return compressing.then(({ bytes, encoding }) => {
    setEncoding(ctx, encoding);
    send(ctx, bytes);
  });
}

function send(ctx: HttpContext, body: string | Buffer): undefined {
  ctx.respond = false;
  ctx.res.writeHead(ctx.status, { 'Content-Type': JSON_TYPE, 'Content-Length': Buffer.byteLength(body) });
  joinedResponses.end(ctx.res, body);
}

const JSON_TYPE = 'application/json; charset=utf-8';

function sendDownload(ctx: HttpContext, { contentType, fileName, live, content }: Download): void {
  ctx.type = contentType;
  if (live === true) ctx.set('Cache-Control', 'no-store, no-transform');
  if (fileName !== undefined) ctx.set('Content-Disposition', contentDisposition(fileName));
  // A stream that fails half-way destroys the connection, which the client can distinguish from a normal end.
  ctx.body = typeof content === 'string' ? content : Readable.from(content, { objectMode: false });
}

/** RFC 6266: a plain name for old clients, and the exact one in RFC 8187's encoding. */
function contentDisposition(fileName: string): string {
  const plain = fileName.replace(/[^\w.-]/g, '_');
  const encoded = encodeURIComponent(fileName).replace(/['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/**
 * Sends a `Response` of the platform, as the packages of a protocol make them. The first event of a stream may come
 * late, so the head of its response is sent at once.
 */
export async function sendResponse(ctx: HttpContext, response: Response): Promise<void> {
  for (const [name, value] of response.headers) ctx.set(name, value);
  const isStream = ctx.response.type === 'text/event-stream';
  if (response.body === null) ctx.body = null;
  else ctx.body = isStream ? Readable.fromWeb(response.body as never) : await response.text();
  // After the body: koa sets 204 where there is none.
  ctx.status = response.status;
  if (isStream) ctx.flushHeaders();
}

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
function compressedJson(ctx: HttpContext, json: string | Buffer): Promise<
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
function setEncoding(ctx: HttpContext, encoding: string): void {
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

/** Whether `If-None-Match` contains the tag of a response, by the weak comparison (RFC 9110, section 13.1.2). */
export function isKnown(header: string | undefined, tag: string | undefined): boolean {
  if (header === undefined || tag === undefined) return false;
  const known = readEntityTags(header);
  return known === '*' || known.some(({ value }) => `"${value}"` === tag);
}

/** Sends 304. Reads that are sent by POST, because their input is long, receive it just as a GET does. */
export function notModified(ctx: HttpContext): undefined {
  ctx.vary('Accept-Encoding');
  ctx.status = 304;
  ctx.body = null;
  return undefined;
}

const ORIGIN = 'Origin';

/**
 * Says that the response depends on a header of the request. `ctx.vary` parses what is there, which most responses need
 * not do.
 */
export function varyBy(ctx: Pick<HttpContext, 'res' | 'vary'>, header: typeof ORIGIN | 'Accept-Encoding'): void {
  const given = ctx.res.getHeader('Vary');
  if (given === undefined) ctx.res.setHeader('Vary', header);
  else if (given === ORIGIN && header !== ORIGIN) ctx.res.setHeader('Vary', `${ORIGIN}, ${header}`);
  else ctx.vary(header);
}
