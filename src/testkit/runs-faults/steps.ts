import { readdirSync, readFileSync } from 'node:fs';

/**
 * Living processes that were started by steps: all whose environment contains these variables, each as `NAME=value`.
 */
export function livingSteps(variables: readonly string[]): number[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
    const environment = `\0${contentOf(`/proc/${pid}/environ`)}`;
    return variables.every((variable) => environment.includes(`\0${variable}\0`)) && isAlive(pid);
  });
}

/** Whether a process exists and is not a zombie. */
export function isAlive(pid: number): boolean {
  return /^\d+ \(.*\) [^ZX]/s.test(contentOf(`/proc/${pid}/stat`));
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
