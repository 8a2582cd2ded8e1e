import { BodyTooLarge, BodyTooSlow } from '../lib/request-bytes.ts';
import { ServiceError } from './service-error.ts';

/** The connection is closed, because the rest of the body is not waited for. */
const CLOSING = { headers: { Connection: 'close' } };

/** The error for a body that could not be read: `payload_too_large`, `request_timeout`, or `invalid_json` for one that ended too early. */
export function bodyError(cause: unknown): ServiceError {
  if (cause instanceof BodyTooLarge) return new ServiceError('payload_too_large', cause.message);
  if (cause instanceof BodyTooSlow) return new ServiceError('request_timeout', cause.message, CLOSING);
  return new ServiceError('invalid_json', (cause as Error).message, { cause });
}
