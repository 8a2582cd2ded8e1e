import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../../errors/index.ts';
import { parseJsonBody, readBodyBytes, requireJsonObject, requirePlainBody } from '../../../operations/index.ts';
import { LIMITS } from '../limits/limits.ts';

/** The body has two levels around a value of a variable. */
const BODY_LIMITS = { maxValues: LIMITS.values, maxDepth: LIMITS.nesting + 2 };

/**
 * Reads the JSON object of a POST. Errors: 400 `invalid_json`, or `invalid_argument` for too many values, 408, 413, 415
 * for a compressed body.
 */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<Record<string, unknown>> {
  requirePlainBody(request.headers);
  const value = await parseJsonBody(await readBodyBytes(request, maxBytes), { limits: BODY_LIMITS });
  if (Array.isArray(value))
    throw new ServiceError('invalid_argument',
      'batches are not supported: send one operation in each request, as an object');
  return requireJsonObject(value);
}
