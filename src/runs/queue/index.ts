/** The entry point of the queue. */
export { createQueue, type QueueOptions } from './queue.ts';
export { settleUnfinished, type Unfinished } from './transitions.ts';
export type * from './port.ts';
