export { DURATION_BUCKETS, type HttpExchange } from './metrics.ts';
export { type Counted, type OtherProcesses, summed } from './other-processes.ts';
export type { McpDescription } from './server-config.ts';
export { bytesOfChange } from './stats.ts';
export { createSystem, type System, type SystemDependencies } from './system.ts';
