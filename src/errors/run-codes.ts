import type { ErrorKind, GrpcStatus } from './registry.ts';

const kind = (http: number, grpc: GrpcStatus, meaning: string): ErrorKind => ({ http, grpc, meaning });

/**
 * The codes of the run-queue service (its contract, section 7; decisions 2.10). Codes that both services use
 * (`unauthenticated`, `not_found`, ...) are in `registry.ts`.
 */
export const RUN_ERRORS = {
  invalid_input: kind(400, 'INVALID_ARGUMENT', 'body or query have the wrong shape'),
  invalid_project: kind(400, 'INVALID_ARGUMENT', 'the project body is rejected'),
  invalid_name: kind(400, 'INVALID_ARGUMENT', "the ship's name is malformed or reserved"),
  invalid_label: kind(400, 'INVALID_ARGUMENT', 'a label is not key=value, reserved, or there are too many'),
  invalid_cursor: kind(400, 'INVALID_ARGUMENT', 'the cursor cannot be decoded'),
  invalid_attempt: kind(400, 'INVALID_ARGUMENT', 'the attempt is not one of the run'),
  invalid_offset: kind(400, 'INVALID_ARGUMENT', 'the offset is not a non-negative integer'),
  project_unavailable: kind(400, 'INVALID_ARGUMENT', 'the project is unknown or disabled'),
  pipeline_unavailable: kind(400, 'INVALID_ARGUMENT', 'the pipeline is unknown or not allowed for the project'),
  model_or_input_unavailable: kind(400, 'INVALID_ARGUMENT',
    'the AI role is unknown, has no key, or the input is empty'),
  unsupported_kind: kind(400, 'INVALID_ARGUMENT', 'the kind of run is unknown'),
  idempotency_key_required: kind(400, 'INVALID_ARGUMENT', 'the Idempotency-Key header is missing'),
  project_not_found: kind(404, 'NOT_FOUND', 'there is no such project'),
  schedule_not_found: kind(404, 'NOT_FOUND', 'the project has no such schedule'),
  notification_not_found: kind(404, 'NOT_FOUND',
    'there is no such webhook of notifications, or no such dead letter of it'),
  run_not_found: kind(404, 'NOT_FOUND', 'there is no such run'),
  ship_not_found: kind(404, 'NOT_FOUND', 'there is no such ship'),
  idempotency_conflict: kind(409, 'ALREADY_EXISTS', 'the key is known with another request'),
  run_state_conflict: kind(409, 'FAILED_PRECONDITION', "the run's state does not allow it"),
  project_exists: kind(409, 'ALREADY_EXISTS', 'a project has this id'),
  ship_exists: kind(409, 'ALREADY_EXISTS', 'a ship of the fleet has this name'),
  join_token_exists: kind(409, 'ALREADY_EXISTS', 'an unused join token has this name'),
  config_read_only: kind(409, 'FAILED_PRECONDITION', 'the configuration came from a URL'),
  fleet_disabled: kind(409, 'FAILED_PRECONDITION', 'the fleet endpoint is off'),
  logs_expired: kind(410, 'NOT_FOUND', "retention removed this attempt's logs"),
  storage_failed: kind(500, 'INTERNAL', 'the store or the configuration file could not be written'),
  enqueue_failed: kind(500, 'INTERNAL', 'the run could not be inserted'),
  logs_unavailable: kind(500, 'INTERNAL', 'a stored log chunk is missing or corrupt'),
  storage_unavailable: kind(503, 'UNAVAILABLE', 'the store is unreachable, busy, starting or stopping'),
  log_budget_exceeded: kind(507, 'RESOURCE_EXHAUSTED', 'the log store is full'),
} as const satisfies Record<string, ErrorKind>;
