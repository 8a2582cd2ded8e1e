export { createSystem, type System, type SystemDependencies } from './system.ts';
export type { HttpExchange } from './metrics.ts';
