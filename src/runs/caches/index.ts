/** The entry point of the caches area: caches of steps that all ships share. */
export { Caches } from './caches.ts';
export { createCacheHandlers } from './handlers.ts';
