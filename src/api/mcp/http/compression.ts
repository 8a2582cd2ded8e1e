import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { compress, type Encoding, isWorthCompressing, preferredEncoding } from '../../../lib/responses.ts';

/** The types that `write` and `end` accept. */
type Writing = Parameters<(chunk: string | Uint8Array, encoding: BufferEncoding, done?: () => void) => void>;

const JSON_TYPE = /^application\/json\b/i;

/**
 * Makes a response compress the JSON that is written to it, if it is over 1 KiB and the client accepts it. The SDKs
 * write responses themselves, so their calls are buffered until the body is complete. Events are sent one by one,
 * uncompressed.
 */
export function compressJson(request: IncomingMessage, response: ServerResponse): void {
  const { write, end, writeHead, flushHeaders } = response;
  const parts: Buffer[] = [];
  let isHeld = false;
  const release = (): void => void Object.assign(response, { write, end, writeHead, flushHeaders });

  const begin = (status: number, ...rest: readonly unknown[]): ServerResponse => {
    setHeaders(response, rest.at(-1));
    response.statusCode = status;
    isHeld = JSON_TYPE.test(String(response.getHeader('Content-Type') ?? '')) && request.method !== 'HEAD';
    parts.length = 0;
    if (isHeld) return varied(response);
    release();
    return response.writeHead(status);
  };
  const finish = async (encoding: Encoding | undefined): Promise<void> => {
    const body = Buffer.concat(parts);
    const sent = encoding === undefined || !isWorthCompressing(body)
      ? body
      : await compress(body, encoding).catch(() => body);
    release();
    if (response.destroyed) return;
    if (sent !== body) response.setHeader('Content-Encoding', encoding!);
    response.setHeader('Content-Length', sent.length);
    response.end(sent);
  };

  Object.assign(response, {
    writeHead: begin,
    flushHeaders: () => {
      if (!isHeld) begin(response.statusCode);
      if (!isHeld) response.flushHeaders();
    },
    write: (...args: Writing) => {
      if (!isHeld) begin(response.statusCode);
      return isHeld ? hold(parts, args) : response.write(...args);
    },
    end: (...args: Writing) => {
      if (!isHeld) begin(response.statusCode);
      if (!isHeld) return response.end(...args);
      hold(parts, args);
      void finish(preferredEncoding(request.headers['accept-encoding']));
      return response;
    },
  });
}

/** `Vary` tells caches that the response depends on the encodings that the client accepts. */
function varied(response: ServerResponse): ServerResponse {
  const others = String(response.getHeader('Vary') ?? '').split(', ').filter((name) =>
    name !== '' && name !== 'Accept-Encoding'
  );
  return response.setHeader('Vary', [...others, 'Accept-Encoding'].join(', '));
}

/** Buffers what is written; returns true, because the buffer always accepts more. */
function hold(parts: Buffer[], args: readonly unknown[]): true {
  const [chunk, encoding] = args;
  if (typeof chunk === 'string')
    parts.push(Buffer.from(chunk, typeof encoding === 'string' ? encoding as BufferEncoding : 'utf8'));
  else if (chunk instanceof Uint8Array) parts.push(Buffer.from(chunk));
  const callback = args.find((argument) => typeof argument === 'function');
  if (callback !== undefined) process.nextTick(callback as () => void);
  return true;
}

/** The forms of headers that `writeHead` accepts: by name, or names and values alternating. */
function setHeaders(response: ServerResponse, headers: unknown): void {
  if (headers === null || typeof headers !== 'object') return;
  const pairs = Array.isArray(headers)
    ? Array.from({ length: headers.length / 2 }, (_, i) =>
      [String(headers[2 * i]), headers[2 * i + 1] as string] as const)
    : Object.entries(headers as OutgoingHttpHeaders);
  for (const [name, value] of pairs) if (value !== undefined) response.setHeader(name, value);
}
