import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { systemTimer } from '../../../lib/timer.ts';

/** Which processes belong to some work. */
export interface Marks {
  /** Process group, and session, that the work was started in. */
  readonly group?: number;
  /** Variables, `NAME=value` each, that all of its processes have in their environment. */
  readonly variables: readonly string[];
  /** The user that it has for itself: all processes of that user are its own. */
  readonly user?: number;
}

/** Processes that survive SIGKILL for so long hang in the kernel; nothing can be done about them. */
const TIMEOUT_MS = 5_000;
/** How long the event loop may be held, in milliseconds. */
const SLICE_MS = 5;

/**
 * The living processes of some work: those of its group and session, those whose environment tells so, because a process
 * that calls `setsid` leaves both, and those of its user. Zombies don't count: where process 1 doesn't reap, they stay
 * for ever. Empty on systems without /proc.
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
  const end = performance.now() + TIMEOUT_MS;
  for (let pause = 2; ; pause = Math.min(50, pause * 2)) {
    const living = await livingProcesses(marks);
    if (living.length === 0 || performance.now() > end) return living;
    for (const pid of living) signal(pid, 'SIGKILL');
    if (marks.user !== undefined) await killAllOf(marks.user);
    await systemTimer.sleep(pause);
  }
}

/** Kills every process of a user. The answer names what could not be killed. */
export function endUser(user: number): Promise<number[]> {
  return killLeftovers({ variables: [], user });
}

/** Users that have living processes. */
export function usersWithProcesses(): ReadonlySet<number> {
  return new Set(readdirSync('/proc').filter((name) => /^\d+$/.test(name) && stateOf(name).isAlive).map(userOf));
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

/** The kernel kills all that the user may signal in one go, so that what starts processes faster than they are counted cannot get away. */
async function killAllOf(user: number): Promise<void> {
  try {
    await once(spawn('/bin/sh', ['-c', 'kill -s KILL -- -1'], { uid: user, gid: user, cwd: '/', env: {}, stdio: 'ignore' }), 'exit');
  } catch {
    // One by one, then.
  }
}

function belongs(pid: string, { group, variables, user }: Marks): boolean {
  const { isAlive, group: itsGroup, session } = stateOf(pid);
  if (!isAlive) return false;
  if (group !== undefined && (itsGroup === group || session === group)) return true;
  if (user !== undefined && userOf(pid) === user) return true;
  if (variables.length === 0) return false;
  const environment = `\0${contentOf(`/proc/${pid}/environ`)}\0`;
  return variables.every((variable) => environment.includes(`\0${variable}\0`));
}

/** The name in parentheses may hold anything (proc_pid_stat(5)); after it come state, parent, group, session. */
function stateOf(pid: string): { isAlive: boolean; group: number; session: number } {
  const stat = contentOf(`/proc/${pid}/stat`);
  const [state = '', , group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 4);
  return { isAlive: state !== '' && !'ZX'.includes(state), group: Number(group), session: Number(session) };
}

/** The real user, which a program with the set-user-id bit does not change (proc_pid_status(5)). */
function userOf(pid: string): number {
  return Number(/^Uid:\t(\d+)/m.exec(contentOf(`/proc/${pid}/status`))?.[1] ?? -1);
}

/** Empty when the process is gone, or another user's. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
