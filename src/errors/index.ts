export { bodyError } from './body-error.ts';
export { ERRORS, type ErrorCode, type ErrorKind, type GrpcStatus } from './registry.ts';
export { ServiceError, type ErrorDetails } from './service-error.ts';
