export { bytesOfChange } from './counts.ts';
export type { McpDescription } from './endpoints.ts';
export { DURATION_BUCKETS, type HttpExchange } from './metrics.ts';
export { type Counted, type OtherProcesses, summed } from './other-processes.ts';
export { createSystem, type System, type SystemDependencies } from './system.ts';
