/** The entry point of the definitions area: what runs execute. */
export { assignmentOf, attemptSpanId, SecretUnavailable, traceIdOf, type UnavailableSecret } from './assignment-of.ts';
export type { ApprovalStep, CellName, Concurrency, Definition, JobRule, ResolvedCell, RunRequest,
  SkippedStep } from './definition.ts';
export { forkSpace } from './fork-space.ts';
export { remoteOf } from './remote.ts';
export { type ResolveDeps, resolveRun } from './resolve.ts';
