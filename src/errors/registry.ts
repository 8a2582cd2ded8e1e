const kind = (http: number, grpc: GrpcStatus, meaning: string): ErrorKind => ({ http, grpc, meaning });

/**
 * The codes of the run-queue service (run-queue contract, section 7; run-queue decisions, section 2.10). Codes that
 * both services use (`unauthenticated`, `not_found`, ...) are below.
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
  delivery_not_found: kind(404, 'NOT_FOUND', 'there is no such delivery of a forge'),
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
  issuer_unavailable: kind(503, 'UNAVAILABLE', 'the issuer of OpenID Connect cannot be reached'),
  log_budget_exceeded: kind(507, 'RESOURCE_EXHAUSTED', 'the log store is full'),
} as const satisfies Record<string, ErrorKind>;

/** gRPC status names, as in the canonical list of `google.rpc.Code`. */
export type GrpcStatus = 'INVALID_ARGUMENT' | 'UNAUTHENTICATED' | 'PERMISSION_DENIED' | 'NOT_FOUND' | 'ALREADY_EXISTS'
  | 'ABORTED' | 'RESOURCE_EXHAUSTED' | 'DEADLINE_EXCEEDED' | 'FAILED_PRECONDITION' | 'UNIMPLEMENTED' | 'INTERNAL'
  | 'UNAVAILABLE';

export interface ErrorKind {
  readonly http: number;
  readonly grpc: GrpcStatus;
  readonly meaning: string;
}

/**
 * Every stable error code with its status in each protocol (contract section 7, decisions section 7), including those
 * of the run-queue service: both services throw the same `ServiceError`.
 */
export const ERRORS = {
  invalid_json: kind(400, 'INVALID_ARGUMENT', 'the body is not JSON'),
  missing_fields: kind(400, 'INVALID_ARGUMENT', 'required fields are absent or empty'),
  invalid_argument: kind(400, 'INVALID_ARGUMENT', 'a field has a wrong type or value'),
  validation_failed: kind(400, 'INVALID_ARGUMENT', "the metadata violate the collection's schema"),
  unauthenticated: kind(401, 'UNAUTHENTICATED', 'no credential, or one that is not valid'),
  invalid_credentials: kind(401, 'UNAUTHENTICATED', 'user name or password is wrong'),
  forbidden: kind(403, 'PERMISSION_DENIED', 'the caller lacks the permission'),
  admin_required: kind(403, 'PERMISSION_DENIED', 'only an administrator may do this'),
  read_only: kind(403, 'PERMISSION_DENIED', 'the access mode refuses writes'),
  write_only: kind(403, 'PERMISSION_DENIED', 'the access mode refuses reads'),
  not_found: kind(404, 'NOT_FOUND', 'what the request names does not exist'),
  conflict: kind(409, 'ALREADY_EXISTS', 'what the request would create exists'),
  // As in gRPC for a sequence of read, change and write that must be repeated from the start.
  precondition_failed: kind(412, 'ABORTED', 'the document is not in the state that the request expects'),
  not_leader: kind(409, 'FAILED_PRECONDITION',
    'followers must not follow this node: it is no leader, or another one took its place'),
  snapshot_required: kind(409, 'FAILED_PRECONDITION', 'the binlog does not go on where the follower stands'),
  method_not_allowed: kind(405, 'UNIMPLEMENTED', 'the path does not know this method'),
  payload_too_large: kind(413, 'RESOURCE_EXHAUSTED', 'the body exceeds its limit'),
  unsupported_media_type: kind(415, 'INVALID_ARGUMENT', 'the content type is not accepted'),
  conversion_failed: kind(422, 'INVALID_ARGUMENT', 'the file is damaged, encrypted, or too much for its conversion'),
  request_timeout: kind(408, 'DEADLINE_EXCEEDED', 'the request did not arrive in time'),
  rate_limited: kind(429, 'RESOURCE_EXHAUSTED', 'too many requests'),
  index_loading: kind(503, 'UNAVAILABLE', 'an index is still loading'),
  lsn_not_reached: kind(503, 'UNAVAILABLE', 'this server does not have the change yet that the request names'),
  busy: kind(503, 'UNAVAILABLE', 'too much work is queued'),
  unavailable: kind(503, 'UNAVAILABLE', 'the database or another dependency is unhealthy'),
  not_implemented: kind(501, 'UNIMPLEMENTED', 'this build does not have the operation'),
  internal: kind(500, 'INTERNAL', 'the server failed'),
  ...RUN_ERRORS,
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;
