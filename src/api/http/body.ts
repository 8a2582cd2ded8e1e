import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ServiceError } from '../../errors/index.ts';
import type { JsonLimits } from '../../lib/json-scanner.ts';
import { inputLimits, type OperationSpec, parseJsonBody, readBodyBytes, requireJsonObject,
  requirePlainBody } from '../../operations/index.ts';

const JSON_TYPE = 'application/json';

/** A stream of JSON, one value on each line. */
export const LINES_TYPE = 'application/x-ndjson';

/** Throws 415 unless the body is JSON lines, uncompressed. */
export function checkLines({ 'content-type': type, ...headers }: IncomingHttpHeaders): void {
  requirePlainBody(headers);
  if (type?.split(';', 1)[0]!.trim().toLowerCase() === LINES_TYPE) return;
  throw new ServiceError('unsupported_media_type',
    `${
      type === undefined ? 'the body has no Content-Type' : `content type "${type.slice(0, 80)}" is not supported`
    }; send Content-Type: ${LINES_TYPE}`);
}

/** Throws 415 unless the body is declared as JSON, uncompressed. */
export function checkJson(headers: IncomingHttpHeaders): void {
  requirePlainBody(headers);
  if (!checkContentType(headers['content-type'])) throw untyped();
}

/**
 * Reads a JSON object from a request. An absent body is an empty object, so that validation can say which fields are
 * missing; if the body is required but none of its fields, an absent one is rejected. A body must be declared as JSON:
 * only then do browsers send a preflight request before a page of another site may send it. Bytes that
 * are not UTF-8 are rejected, or, for operations that repair text, become lone surrogates that their handlers find.
 * What an operation takes at most is in its specification; `maxBytes` is the server's own limit.
 * Errors: 400 `invalid_json`, 408, 413, 415.
 */
export async function readJsonObject(request: IncomingMessage, maxBytes: number,
  spec: Pick<OperationSpec, 'sanitize' | 'requiresBody' | 'maxBody' | 'maxValues' | 'maxItems'>
): Promise<Record<string, unknown>> {
  const { headers } = request;
  requirePlainBody(headers);
  // `curl -d ''` declares a form, but sends nothing.
  const isTyped = headers['content-length'] !== '0' && checkContentType(headers['content-type']);
  if (!isTyped && Number(headers['content-length'] ?? 0) > 0) throw untyped();
  const bytes = await readBodyBytes(request, Math.min(maxBytes, spec.maxBody ?? maxBytes));
  if (bytes.length === 0) return absent(spec.requiresBody === true);
  if (!isTyped) throw untyped();
  const value = parseJsonBody(bytes, { limits: inputLimits(spec), repairsText: spec.sanitize });
  return requireJsonObject(value instanceof Promise ? await value : value);
}

function absent(isRequired: boolean): Record<string, never> {
  if (isRequired)
    throw new ServiceError('invalid_json', 'invalid JSON: the body is missing; send an object with the fields to set');
  return {};
}

/**
 * Reads the JSON value of a body, of any type. Errors: 400 `invalid_json`, or `invalid_argument` for too many values,
 * 408, 413, 415 for a compressed body.
 */
export async function readJson(request: IncomingMessage, maxBytes: number, limits: JsonLimits): Promise<unknown> {
  requirePlainBody(request.headers);
  return parseJsonBody(await readBodyBytes(request, maxBytes), { limits });
}

/** Whether a content type is JSON in UTF-8. */
export function isJsonType(header: string): boolean {
  if (header === JSON_TYPE) return true;
  const [type, ...parameters] = header.toLowerCase().split(';').map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice(8).replaceAll('"', '');
  return type === JSON_TYPE && (charset === undefined || charset === 'utf-8' || charset === 'utf8');
}

/** Whether there is a content type; throws if it is not the expected one. */
function checkContentType(header: string | undefined): boolean {
  if (header === undefined) return false;
  if (isJsonType(header)) return true;
  throw new ServiceError('unsupported_media_type',
    `content type "${header.slice(0, 80)}" is not supported; send ${JSON_TYPE}`);
}

function untyped(): ServiceError {
  return new ServiceError('unsupported_media_type', `the body has no Content-Type; send Content-Type: ${JSON_TYPE}`);
}
