/** The entry point of the queue. */
export { cutText } from './completion.ts';
export type * from './port.ts';
export { createQueue } from './queue.ts';
export { settleUnfinished, type Unfinished } from './transitions.ts';
