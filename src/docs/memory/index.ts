/** The entry point of the memory area. */
export { createMemory, type Memory, type MemoryAreas } from './memory.ts';
export type { MeaningSide } from './recall/recall-memory.ts';
