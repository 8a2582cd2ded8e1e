export { createExecutor, type ExecutorOptions } from './executor.ts';
export type { Executor, OutputLine, OutputSink, WorkControl, WorkResult } from './port.ts';
