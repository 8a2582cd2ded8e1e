/** The entry point of the idempotency area. */
export { requestHash, requireKey } from './keys.ts';
export { createIdempotency, type Idempotency, type OnceResult } from './once.ts';
