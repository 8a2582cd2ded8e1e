/** The entry point of the definitions area: what runs execute. */
export { assignmentOf, type LogSettings, SecretUnavailable } from './assignment-of.ts';
export type { Definition } from './definition.ts';
export { type ResolveDeps, resolveRun } from './resolve.ts';
export type { Concurrency, ResolvedCell, ResolvedRun, RunRequest } from './run-request.ts';
