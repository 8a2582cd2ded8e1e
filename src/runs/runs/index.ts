/** The entry point of the runs area. */
export type { Enqueuer } from './enqueuer.ts';
export { requireKey } from './idempotency-key.ts';
export { logRunChange } from './log-run-change.ts';
export { presentResult } from './result.ts';
export { RunTraces } from './run-traces.ts';
export { createRuns, type Runs, type RunsDeps } from './runs.ts';
