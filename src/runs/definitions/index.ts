/** The entry point of the definitions area: what runs execute. */
export { assignmentOf, SecretUnavailable } from './assignment-of.ts';
export type { Concurrency, RunRequest } from './definition.ts';
export { type ResolveDeps, resolveRun } from './resolve.ts';
