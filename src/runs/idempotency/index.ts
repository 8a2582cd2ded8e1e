/** The entry point of the idempotency area. */
export { requestHash, requireKey } from './keys.ts';
export { createIdempotency, type Idempotency, type Once, type OnceResult } from './once.ts';
