export { type ErrorCode, type ErrorKind, ERRORS, type GrpcStatus } from './registry.ts';
export { bodyError, type ErrorDetails, ServiceError } from './service-error.ts';
