export { createSystem, type Check, type SystemOptions } from './health.ts';
