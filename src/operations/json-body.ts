import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { bodyError, ServiceError } from '../errors/index.ts';
import { decodeUtf8, decodeUtf8Escaping, withoutByteOrderMark } from '../lib/bytes.ts';
import { parseJsonInSteps } from '../lib/json-in-steps.ts';
import { type JsonLimits, JsonTooLarge } from '../lib/json-scanner.ts';
import { readRequestBytes } from '../lib/request-bytes.ts';
import { turns } from '../lib/turns.ts';

/** Throws 415 for a compressed body. */
export function requirePlainBody(headers: IncomingHttpHeaders): void {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return;
  throw new ServiceError('unsupported_media_type',
    `content encoding "${encoding.slice(0, 80)}" is not supported; send the body as it is`);
}

/** The bytes of a body. Errors: 400 `invalid_json` for one that was cut off, 408, 413. */
export function readBodyBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return readRequestBytes(request, maxBytes).catch((cause: unknown) => Promise.reject(bodyError(cause)));
}

/** The text of a body. Throws 400 `invalid_json` if it is not valid UTF-8. */
function bodyText(bytes: Buffer): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw notUtf8();
  return text;
}

const notUtf8 = (): ServiceError => new ServiceError('invalid_json', 'invalid JSON: the body is not valid UTF-8');

/** A body up to this size is parsed at once; it cannot have more than half as many values, and no limit is lower. */
const AT_ONCE_BYTES = 16 * 1024;

export interface JsonBodyOptions {
  readonly limits: JsonLimits;
  /** Whether bytes that are not UTF-8 become lone surrogates, to be repaired, instead of an error. */
  readonly repairsText?: boolean;
}

/**
 * Parses the bytes of a body, a long one in steps. Throws or rejects with 400: `invalid_json`, and `invalid_argument`
 * for one that holds more than its limits allow, before it is parsed.
 */
export function parseJsonBody(bytes: Buffer, { limits, repairsText = false }: JsonBodyOptions): unknown {
  if (bytes.length > AT_ONCE_BYTES) return parseLongBody(bytes, limits, repairsText);
  const text = repairsText ? decodeUtf8(bytes) ?? decodeUtf8Escaping(bytes) : bodyText(bytes);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refusal(error);
  }
}

async function parseLongBody(bytes: Buffer, limits: JsonLimits, repairsText: boolean): Promise<unknown> {
  const isText = isUtf8(bytes);
  if (!isText && !repairsText) throw notUtf8();
  // Bodies that are complete in one turn of the event loop would block it for the sum of their first steps.
  if (turns.isSpent) await turns.request();
  const decode = (
    part: Buffer,
  ): string => (isText ? part.toString('utf8') : decodeUtf8(part) ?? decodeUtf8Escaping(part));
  try {
    return await parseJsonInSteps(isText ? withoutByteOrderMark(bytes) : bytes, { limits, decode });
  } catch (error) {
    throw refusal(error);
  }
}

function refusal(cause: unknown): unknown {
  if (cause instanceof JsonTooLarge)
    return new ServiceError('invalid_argument',
      cause.field === undefined ? `the body ${cause.message}; send less at once` : `${cause.field} ${cause.message}`, {
      cause,
    });
  return cause instanceof SyntaxError
    ? new ServiceError('invalid_json', `invalid JSON: ${cause.message.slice(0, 200)}`, { cause })
    : cause;
}

/** Whether a value is nested deeper than this many levels; stops at that depth. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** Throws 400 `invalid_json` for any other value. */
export function requireJsonObject(value: unknown): Record<string, unknown> {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new ServiceError('invalid_json', 'invalid JSON: the body must be an object');
}
