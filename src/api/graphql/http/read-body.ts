import type { IncomingMessage } from 'node:http';
import { bodyError, ServiceError } from '../../../errors/index.ts';
import { readRequestBytes } from '../../../lib/request-bytes.ts';
import { decodeUtf8 } from '../../../lib/utf8.ts';

/** Reads the JSON object of a POST. Errors: 400 `invalid_json`, 408, 413, 415 for a compressed body. */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<Record<string, unknown>> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new ServiceError('unsupported_media_type', `content encoding "${encoding.slice(0, 80)}" is not supported; send the body as it is`);
  }
  const text = decodeUtf8(await readRequestBytes(request, maxBytes).catch((cause: unknown) => Promise.reject(bodyError(cause))));
  if (text === undefined) throw new ServiceError('invalid_json', 'invalid JSON: the body is not valid UTF-8');
  const value = parse(text);
  if (Array.isArray(value)) throw new ServiceError('invalid_argument', 'batches are not supported: send one operation in each request, as an object');
  if (value === null || typeof value !== 'object') throw new ServiceError('invalid_json', 'invalid JSON: the body must be an object');
  return value as Record<string, unknown>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ServiceError('invalid_json', `invalid JSON: ${(error as Error).message.slice(0, 200)}`, { cause: error });
  }
}
