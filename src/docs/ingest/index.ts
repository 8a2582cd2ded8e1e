/** The entry point of the ingest area. */
export { createIngest, type Ingest } from './ingest.ts';
export type { WikiLimits } from './wiki/import-wiki.ts';
export { unpack as unpackDump } from './wiki/unpack.ts';
