import { BodyTooLarge, BodyTooSlow, TooManySlowBodies } from '../lib/request-bytes.ts';
import { ServiceError } from './service-error.ts';

/** The connection is closed, because the rest of the body is not waited for. */
const CLOSING = { Connection: 'close' };

/** Seconds after which a client may try again whose bodies were too many. */
const RETRY_AFTER = '5';

/**
 * The error for a body that could not be read: `payload_too_large`, `request_timeout`, `rate_limited`, or
 * `invalid_json` for one that ended too early.
 */
export function bodyError(cause: unknown): ServiceError {
  if (cause instanceof BodyTooLarge) return new ServiceError('payload_too_large', cause.message);
  if (cause instanceof BodyTooSlow) return new ServiceError('request_timeout', cause.message, { headers: CLOSING });
  if (cause instanceof TooManySlowBodies)
    return new ServiceError('rate_limited', cause.message, { headers: { ...CLOSING, 'Retry-After': RETRY_AFTER } });
  return new ServiceError('invalid_json', (cause as Error).message, { cause });
}
