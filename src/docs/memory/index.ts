/** The entry point of the memory area. */
export { createMemory, type Memory } from './memory.ts';
export type { MeaningSide } from './recall/recall-memory.ts';
