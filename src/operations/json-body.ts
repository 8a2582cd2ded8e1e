import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { bodyError, ServiceError } from '../errors/index.ts';
import { readRequestBytes } from '../lib/request-bytes.ts';
import { decodeUtf8 } from '../lib/utf8.ts';

/** Throws 415 for a compressed body. */
export function requirePlainBody(headers: IncomingHttpHeaders): void {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return;
  throw new ServiceError('unsupported_media_type', `content encoding "${encoding.slice(0, 80)}" is not supported; send the body as it is`);
}

/** The bytes of a body. Errors: 400 `invalid_json` for one that was cut off, 408, 413. */
export function readBodyBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return readRequestBytes(request, maxBytes).catch((cause: unknown) => Promise.reject(bodyError(cause)));
}

/** The text of a body. Throws 400 `invalid_json` if it is not valid UTF-8. */
export function bodyText(bytes: Buffer): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new ServiceError('invalid_json', 'invalid JSON: the body is not valid UTF-8');
  return text;
}

/** Throws 400 `invalid_json`. */
export function parseJsonBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ServiceError('invalid_json', `invalid JSON: ${(error as Error).message.slice(0, 200)}`, { cause: error });
  }
}

/** Throws 400 `invalid_json` for any other value. */
export function requireJsonObject(value: unknown): Record<string, unknown> {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new ServiceError('invalid_json', 'invalid JSON: the body must be an object');
}
