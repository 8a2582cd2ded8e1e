export { createSystem, type System, type SystemDependencies } from './system.ts';
export { DURATION_BUCKETS, type HttpExchange } from './metrics.ts';
