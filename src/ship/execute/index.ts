export { createExecutor, type ExecutorOptions, type RunAs } from './executor.ts';
export type { Executor, Fence, OutputLine, OutputSink, WorkControl, WorkResult } from './port.ts';
export type { UserIdRange } from './users.ts';
