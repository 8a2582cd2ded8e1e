import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { systemTimer } from '../../../lib/timer.ts';

/** Which processes belong to some work. */
export interface Marks {
  /** Process group, and session, that the work was started in. */
  readonly group?: number;
  /** Variables, `NAME=value` each, that all of its processes have in their environment. */
  readonly variables: readonly string[];
}

/** Processes that survive SIGKILL for so long hang in the kernel; nothing can be done about them. */
const PATIENCE_MS = 5_000;
/** How long the event loop may be held, in milliseconds. */
const SLICE_MS = 5;

/**
 * The living processes of some work: those of its group and session, and those whose environment tells so,
 * because a process that calls `setsid` leaves both. Zombies don't count: where process 1 doesn't reap,
 * they stay for ever. Empty on systems without /proc.
 */
export async function livingProcesses(marks: Marks): Promise<number[]> {
  const found: number[] = [];
  let slice = performance.now();
  for (const name of await readdir('/proc').catch(() => [])) {
    if (/^\d+$/.test(name) && Number(name) !== process.pid && belongs(name, marks)) found.push(Number(name));
    // The files are in the kernel's memory: to read them costs less than to have them read elsewhere.
    if (performance.now() - slice < SLICE_MS) continue;
    await setImmediate();
    slice = performance.now();
  }
  return found;
}

/** Kills what is left of some work, and what it starts meanwhile. The answer names what could not be killed. */
export async function killLeftovers(marks: Marks): Promise<number[]> {
  const end = performance.now() + PATIENCE_MS;
  for (let pause = 2; ; pause = Math.min(50, pause * 2)) {
    const living = await livingProcesses(marks);
    if (living.length === 0 || performance.now() > end) return living;
    for (const pid of living) signal(pid, 'SIGKILL');
    await systemTimer.sleep(pause);
  }
}

/** Resolves when none of a group is alive any more, or at the end of the signal. */
export async function groupEnds(group: number, until: AbortSignal): Promise<void> {
  while (!until.aborted && (await livingProcesses({ group, variables: [] })).length > 0) await systemTimer.sleep(50, until);
}

/** Sends a signal to a process, or to a group when the number is negative; one that is gone or another user's is left alone. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

function belongs(pid: string, { group, variables }: Marks): boolean {
  const stat = contentOf(`/proc/${pid}/stat`);
  // The name in parentheses may hold anything (proc_pid_stat(5)); after it come state, parent, group, session.
  const [state, , itsGroup, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 4);
  if (state === undefined || state === '' || 'ZX'.includes(state)) return false;
  if (group !== undefined && (Number(itsGroup) === group || Number(session) === group)) return true;
  if (variables.length === 0) return false;
  const environment = `\0${contentOf(`/proc/${pid}/environ`)}\0`;
  return variables.every((variable) => environment.includes(`\0${variable}\0`));
}

/** Empty when the process is gone, or another user's. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
