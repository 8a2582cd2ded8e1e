import { createContext, Script } from 'node:vm';

const context = createContext({ task: undefined as (() => void) | undefined });
const script = new Script('task()');

/**
 * Runs a task and returns whether it was completed: it is not if it exceeds its time or the stack. Parsers that were
 * written for well-formed programs may take quadratic or exponential time, or recurse without end, on others; the task
 * keeps what it has read until then. Other errors are thrown.
 */
export function withinTime(milliseconds: number, task: () => void): boolean {
  context.task = task;
  try {
    script.runInContext(context, { timeout: Math.max(1, Math.ceil(milliseconds)) });
    return true;
  } catch (error) {
    if (error instanceof RangeError || (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      return false;
    throw error;
  } finally {
    context.task = undefined;
  }
}
