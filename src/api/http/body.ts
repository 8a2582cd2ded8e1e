import type { IncomingMessage } from 'node:http';
import { bodyError, ServiceError } from '../../errors/index.ts';
import { readRequestBytes } from '../../lib/request-bytes.ts';
import { decodeUtf8, decodeUtf8Escaping } from '../../lib/utf8.ts';

const JSON_TYPE = 'application/json';

/**
 * Reads a JSON object from a request. An absent body is an empty object, so that validation can say
 * which fields are missing. Bytes that are not UTF-8 are refused, or, for operations that repair
 * text, become lone surrogates that their handlers find (decision D-39).
 * Errors: 400 `invalid_json`, 408, 413, 415.
 */
export async function readJsonObject(request: IncomingMessage, maxBytes: number, repairText: boolean): Promise<Record<string, unknown>> {
  checkContentType(request);
  const bytes = await readRequestBytes(request, maxBytes).catch((cause: unknown) => Promise.reject(bodyError(cause)));
  if (bytes.length === 0) return {};
  const value = parse(toText(bytes, repairText));
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new ServiceError('invalid_json', 'invalid JSON: the body must be an object');
  }
  return value as Record<string, unknown>;
}

function checkContentType(request: IncomingMessage): void {
  const header = request.headers['content-type'];
  if (header !== undefined) {
    const [type, ...parameters] = header.toLowerCase().split(';').map((part) => part.trim());
    const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice(8).replaceAll('"', '');
    const isJson = type === JSON_TYPE || (type?.startsWith('application/') && type.endsWith('+json'));
    if (!isJson || (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')) {
      throw new ServiceError('unsupported_media_type', `content type "${header.slice(0, 80)}" is not supported; send ${JSON_TYPE}`);
    }
  }
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new ServiceError('unsupported_media_type', `content encoding "${encoding.slice(0, 80)}" is not supported; send the body as it is`);
  }
}

function toText(bytes: Buffer, repairText: boolean): string {
  const text = decodeUtf8(bytes);
  if (text !== undefined) return text;
  if (repairText) return decodeUtf8Escaping(bytes);
  throw new ServiceError('invalid_json', 'invalid JSON: the body is not valid UTF-8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ServiceError('invalid_json', `invalid JSON: ${(error as Error).message.slice(0, 200)}`, { cause: error });
  }
}
