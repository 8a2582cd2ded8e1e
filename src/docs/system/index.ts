export type { McpDescription } from './mcp-description.ts';
export { createSystem, type System, type SystemDependencies } from './system.ts';
export { DURATION_BUCKETS, type HttpExchange } from './metrics.ts';
