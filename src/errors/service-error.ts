import { BodyTooLarge, BodyTooSlow, TooManySlowBodies } from '../lib/request-bytes.ts';
import { type ErrorCode, ERRORS } from './registry.ts';

export interface ErrorDetails {
  /** One message for each violation, if there are several. */
  readonly errors?: readonly string[];
  /** Further fields of the error body that the contract documents. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Headers of the response, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The cause; logged, never sent. */
  readonly cause?: unknown;
}

/**
 * The only error that handlers throw on purpose. Adapters translate its code into the status of their protocol; any
 * other error is reported as `internal`, without its message.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly string[] | undefined;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.errors = details.errors;
    this.body = details.body;
    this.headers = details.headers;
  }

  /** The HTTP status of the code. */
  get status(): number {
    return ERRORS[this.code].http;
  }
}

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
