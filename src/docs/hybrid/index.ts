/** The entry point of the hybrid area. */
export { createHybrid, type Hybrid } from './search-hybrid.ts';
