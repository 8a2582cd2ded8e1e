/** The door of the ingest area. */
export { createIngest, type Ingest } from './ingest.ts';
