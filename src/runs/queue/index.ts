/** The entry point of the queue. */
export type * from './port.ts';
export { createQueue } from './queue.ts';
export { settleUnfinished, type Unfinished } from './transitions.ts';
