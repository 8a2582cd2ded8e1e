export { bytesOfChange } from './database-numbers.ts';
export type { McpDescription } from './mcp-description.ts';
export { DURATION_BUCKETS, type HttpExchange } from './metrics.ts';
export { type Counted, type OtherProcesses, summed } from './other-processes.ts';
export { createSystem, type System, type SystemDependencies } from './system.ts';
