/** The entry point of the runs area. */
export type { Enqueuer } from './enqueuer.ts';
export { presentResult } from './present-run.ts';
export { requireRun } from './read-runs.ts';
export { createRuns, type Runs } from './runs.ts';
