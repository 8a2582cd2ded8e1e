import { Readable } from 'node:stream';
import type { Download, OperationSpec } from '../../operations/index.ts';
import { compressedJson, setEncoding } from './compression.ts';
import { joinedResponses } from './joined-responses.ts';
import type { HttpContext } from './operation-endpoint.ts';

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
