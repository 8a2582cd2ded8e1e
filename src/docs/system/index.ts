export type { McpDescription } from './mcp-description.ts';
export { bytesOfChange } from './database-numbers.ts';
export { createSystem, type System, type SystemDependencies } from './system.ts';
export { DURATION_BUCKETS, type HttpExchange } from './metrics.ts';
export { summed, type Counted, type OtherProcesses } from './other-processes.ts';
