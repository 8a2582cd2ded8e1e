/** The entry point of the ingest area. */
export { createIngest, type Ingest } from './ingest.ts';
export { unpack as unpackDump, type WikiLimits } from './wiki/index.ts';
