export { type Check, createSystem, type SystemOptions } from './health.ts';
