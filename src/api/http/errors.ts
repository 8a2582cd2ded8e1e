import { type ErrorCode, ServiceError } from '../../errors/index.ts';
import { type OperationSpec, toServiceError } from '../../operations/index.ts';

/** The form of a service's error bodies. */
export interface ErrorFormat {
  /** Returns the body of an error; `requestId` is the id of the failed request. */
  body(error: ServiceError, requestId: string): Record<string, unknown>;
  /** The service's own code for an error that the adapter raises, if the service has one. */
  readonly codes?: Partial<Record<ErrorCode, ErrorCode>>;
  /** Whether an error with a status of 500 or more is no failure of the server, and is not logged as one. */
  isExpected?(error: ServiceError): boolean;
}

/** `{"error", "code", "requestId"}`, plus `errors[]` when there are several (document service, contract section 7). */
export const flatErrors: ErrorFormat = {
  body: (error, requestId) => ({
    error: error.message,
    code: error.code,
    requestId,
    errors: error.errors,
    ...error.body,
  }),
};

/** `{"error": {"code"}}`, with a message where it helps the caller (run-queue service, contract section 7). */
export const nestedErrors: ErrorFormat = {
  body: ({ code, message }) => ({ error: { code, message: WITH_MESSAGE.has(code) ? message : undefined } }),
  // It rejects requests while it starts or stops.
  isExpected: ({ code, cause }) => code === 'storage_unavailable' && cause === undefined,
  codes: {
    invalid_json: 'invalid_input',
    missing_fields: 'invalid_input',
    invalid_argument: 'invalid_input',
    payload_too_large: 'invalid_input',
    unsupported_media_type: 'invalid_input',
    unavailable: 'storage_unavailable',
    busy: 'storage_unavailable',
  },
};

const WITH_MESSAGE = new Set<ErrorCode>(['invalid_input', 'request_timeout', 'rate_limited', 'idempotency_key_required',
  'forbidden', 'invalid_project', 'not_implemented', 'project_exists', 'ship_exists', 'join_token_exists',
  'invalid_name', 'invalid_label', 'project_not_found', 'schedule_not_found', 'notification_not_found',
  'delivery_not_found', 'run_state_conflict', 'project_unavailable', 'pipeline_unavailable',
  'model_or_input_unavailable', 'conflict', 'config_read_only', 'storage_failed', 'issuer_unavailable']);

/** The error that is sent for anything thrown, with the service's own code. */
export function errorOf(thrown: unknown, format: ErrorFormat, operation?: OperationSpec): ServiceError {
  const error = toServiceError(thrown);
  const own = format.codes?.[error.code];
  // An operation with its own code for invalid input also uses it for bodies that cannot be read.
  const code = own === 'invalid_input' && operation?.error ? (operation.error as ErrorCode) : own;
  if (code === undefined) return error;
  return new ServiceError(code, error.message, { cause: error.cause, errors: error.errors, headers: error.headers });
}
