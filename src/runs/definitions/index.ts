/** The entry point of the definitions area: what runs execute. */
export { assignmentOf, attemptSpanId, SecretUnavailable, traceIdOf } from './assignment-of.ts';
export type { ApprovalStep, Concurrency, Definition, ResolvedCell, RunRequest, SkippedStep } from './definition.ts';
export { forkSpace } from './fork-space.ts';
export { remoteOf, type ResolveDeps, resolveRun } from './resolve.ts';
