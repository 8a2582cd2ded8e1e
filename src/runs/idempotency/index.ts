/** The entry point of the idempotency area. */
export { requestHash } from './canonical.ts';
export { createIdempotency, type Idempotency, type Once, type OnceResult } from './once.ts';
