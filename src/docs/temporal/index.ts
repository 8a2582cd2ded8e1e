/** The entry point of the temporal area. */
export { createTemporal, type Temporal } from './temporal.ts';
