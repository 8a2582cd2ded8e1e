export { DURATION_BUCKETS } from './metrics.ts';
export { type Counted, type OtherProcesses, summed } from './other-processes.ts';
export type { McpDescription } from './server-config.ts';
export { bytesOfChange } from './stats.ts';
export { createSystem, type System } from './system.ts';
