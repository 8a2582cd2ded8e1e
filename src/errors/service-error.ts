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
