export { RECONNECT, RetryPause } from './retry-pause.ts';
export { Signal } from './signal.ts';
export { sleepUntil } from './sleep-until.ts';
export { untilAborted } from './until-aborted.ts';
