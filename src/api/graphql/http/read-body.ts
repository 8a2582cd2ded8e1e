import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../../errors/index.ts';
import { bodyText, parseJsonBody, readBodyBytes, requireJsonObject, requirePlainBody } from '../../../operations/index.ts';

/** Reads the JSON object of a POST. Errors: 400 `invalid_json`, 408, 413, 415 for a compressed body. */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<Record<string, unknown>> {
  requirePlainBody(request.headers);
  const value = parseJsonBody(bodyText(await readBodyBytes(request, maxBytes)));
  if (Array.isArray(value)) throw new ServiceError('invalid_argument', 'batches are not supported: send one operation in each request, as an object');
  return requireJsonObject(value);
}
