export { Bell } from './bell.ts';
export { RECONNECT, RetryPause } from './retry-pause.ts';
export { sleepUntil } from './sleep-until.ts';
export { untilAborted } from './until-aborted.ts';
