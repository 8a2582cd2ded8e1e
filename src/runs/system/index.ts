export { createSystem, type SystemOptions } from './health.ts';
