export { bodyError } from './body-error.ts';
export { type ErrorCode, type ErrorKind, ERRORS, type GrpcStatus } from './registry.ts';
export { type ErrorDetails, ServiceError } from './service-error.ts';
