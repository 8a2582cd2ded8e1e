/** The entry point of the definitions area: what runs execute. */
export { assignmentOf, type LogSettings, SecretUnavailable } from './assignment-of.ts';
export type { Concurrency, Definition, ResolvedCell, ResolvedRun, RunRequest } from './definition.ts';
export { type ResolveDeps, resolveRun } from './resolve.ts';
