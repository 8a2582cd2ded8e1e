export { createLog, type LogOptions } from './create-log.ts';
