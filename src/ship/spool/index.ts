export { LineSpool } from './line-spool.ts';
export { createDiskSpools, type SpoolFile, type Spools } from './spool-file.ts';
