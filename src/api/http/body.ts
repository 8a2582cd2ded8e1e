import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../errors/index.ts';
import { decodeUtf8, decodeUtf8Escaping } from '../../lib/utf8.ts';

const JSON_TYPE = 'application/json';

/**
 * Reads a JSON object from a request. An absent body is an empty object, so that validation can say
 * which fields are missing. Bytes that are not UTF-8 are refused, or, for operations that repair
 * text, become lone surrogates that their handlers find (decision D-39).
 * Errors: 400 `invalid_json`, 413, 415.
 */
export async function readJsonObject(request: IncomingMessage, maxBytes: number, repairText: boolean): Promise<Record<string, unknown>> {
  checkContentType(request);
  const bytes = await readBytes(request, maxBytes);
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

/** All bytes of a request; 413 as soon as there are more than allowed. Events, since iterating costs thrice as much. */
function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const cutOff = (cause?: Error) => reject(new ServiceError('invalid_json', 'the request ended before its body was complete', { cause }));
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else {
        request.pause();
        reject(tooLarge(maxBytes));
      }
    });
    request.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length)));
    request.once('error', cutOff);
    request.once('aborted', cutOff);
  });
}

function tooLarge(maxBytes: number): ServiceError {
  // The rest of the body is not read, so the connection cannot serve another request.
  return new ServiceError('payload_too_large', `body larger than ${maxBytes} bytes`, { headers: { Connection: 'close' } });
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
