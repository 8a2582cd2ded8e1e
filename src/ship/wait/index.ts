export { Signal } from './signal.ts';
export { RECONNECT, RetryPause } from './retry-pause.ts';
export { sleepUntil } from './sleep-until.ts';
export { untilAborted } from './until-aborted.ts';
