import { createContext, Script } from 'node:vm';

/** Milliseconds of what a repository's conditions may take at once. */
const MOST_MS = 100;

const script = new Script('work()');

/** Runs synchronous work, which is ended after 100 ms; then it throws. The engine itself interrupts it. */
export function withinTime<T>(work: () => T): T {
  try {
    return script.runInContext(createContext({ work }), { timeout: MOST_MS }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      throw new Error(`it takes longer than ${MOST_MS} ms`, { cause: error });
    throw error;
  }
}
