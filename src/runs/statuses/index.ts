/** The entry point of the statuses. */
export { createStatuses, type Statuses, type StatusesDeps } from './statuses.ts';
