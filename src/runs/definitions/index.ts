/** The entry point of the definitions area: what runs execute. */
export { assignmentOf, SecretUnavailable, type LogSettings } from './assignment-of.ts';
export type { Definition } from './definition.ts';
export { resolveRun, type ResolveDeps } from './resolve.ts';
export type { Concurrency, ResolvedCell, ResolvedRun, RunRequest } from './run-request.ts';
