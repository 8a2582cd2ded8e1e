import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { systemTimer } from '../../../lib/clock.ts';

/** Identifies this process; process ids are reused, so its start time is included. */
export function ownName(): string {
  return `${process.pid} ${startOf(process.pid)}`;
}

/** Whether the process with this name is alive. */
export function isAliveAs(name: string): boolean {
  const [pid, start] = name.split(' ');
  return pid !== undefined && /^\d+$/.test(pid) && start === startOf(Number(pid));
}

/**
 * Start time of a process, in ticks since the machine started (proc_pid_stat(5), field 22); `gone` if there is no such
 * process.
 */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]!;
  } catch {
    return startWithoutProc(pid);
  }
}

/** For systems without /proc. */
function startWithoutProc(pid: number): string {
  try {
    process.kill(pid, 0);
    return 'alive';
  } catch {
    return 'gone';
  }
}

/** Identifies the processes of some work. */
export interface Marks {
  /** Process group, and session, in which the work was started. */
  readonly group?: number;
  /** Environment variables, `NAME=value` each, that all of its processes have. */
  readonly variables: readonly string[];
  /** The user that only this work has: all processes of that user belong to it. */
  readonly user?: number;
}

/** Processes that survive SIGKILL for so long hang in the kernel; nothing can be done about them. */
const TIMEOUT_MS = 5_000;
/** How long the event loop may be held, in milliseconds. */
const SLICE_MS = 5;

/**
 * The living processes of some work: the processes of its group and session, those with its environment variables,
 * because a process that calls `setsid` leaves group and session, and those of its user. Zombies do not count: if
 * process 1 does not reap them, they stay for ever. Empty on systems without /proc.
 */
export async function livingProcesses(marks: Marks): Promise<number[]> {
  const found: number[] = [];
  let slice = performance.now();
  for (const name of await readdir('/proc').catch(() => [])) {
    if (/^\d+$/.test(name) && Number(name) !== process.pid && belongs(name, marks)) found.push(Number(name));
    // These files are in the kernel's memory: reading them synchronously costs less than using the thread pool.
    if (performance.now() - slice < SLICE_MS) continue;
    await setImmediate();
    slice = performance.now();
  }
  return found;
}

/**
 * Kills the remaining processes of some work, including those that it starts meanwhile, but not those of `spared` work
 * and their descendants; `spared` is called for each search, and absent if nothing else of the user is or will be
 * alive. Returns the processes that could not be killed.
 */
export async function killLeftovers(marks: Marks, spared?: () => readonly Marks[]): Promise<number[]> {
  const end = performance.now() + TIMEOUT_MS;
  for (let pause = 2;; pause = Math.min(50, pause * 2)) {
    const found = await livingProcesses(marks);
    // Asked after the search, because other work may begin meanwhile.
    const others = spared?.() ?? [];
    const living = found.filter((pid) => !descendsFrom(pid, others));
    if (living.length === 0 || performance.now() > end) return living;
    for (const pid of living) signal(pid, 'SIGKILL');
    if (marks.user !== undefined && spared === undefined) await killAllOf(marks.user);
    await systemTimer.sleep(pause);
  }
}

/** Kills every process of a user. Returns the processes that could not be killed. */
export function endUser(user: number): Promise<number[]> {
  return killLeftovers({ variables: [], user });
}

/** Users with living processes. */
export function usersWithProcesses(): ReadonlySet<number> {
  return new Set(readdirSync('/proc').filter((name) => /^\d+$/.test(name) && stateOf(name).isAlive).map(userOf));
}

/** Resolves when no process of a group is alive any more, or when the signal aborts. */
export async function groupEnds(group: number, until: AbortSignal): Promise<void> {
  while (!until.aborted && (await livingProcesses({ group, variables: [] })).length > 0)
    await systemTimer.sleep(50, until);
}

/**
 * Sends a signal to a process, or to a group if the number is negative; ignores a process that is gone or belongs to
 * another user.
 */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/**
 * The kernel kills all processes that the user may signal in one call, so a program that starts processes faster than
 * they are counted cannot escape.
 */
async function killAllOf(user: number): Promise<void> {
  try {
    await once(
      spawn('/bin/sh', ['-c', 'kill -s KILL -- -1'], { uid: user, gid: user, cwd: '/', env: {}, stdio: 'ignore' }),
      'exit',
    );
  } catch {
    // Not possible; kill them one by one.
  }
}

/** Whether a process, or one that it descends from, belongs to some of this work. */
function descendsFrom(pid: number, work: readonly Marks[]): boolean {
  for (let at = pid; work.length > 0 && at > 1; at = stateOf(String(at)).parent || 0)
    if (work.some((marks) => belongs(String(at), marks))) return true;
  return false;
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

/**
 * The name in parentheses may contain any character (proc_pid_stat(5)); after it come state, parent, group, session.
 */
function stateOf(pid: string): { isAlive: boolean; parent: number; group: number; session: number } {
  const stat = contentOf(`/proc/${pid}/stat`);
  const [state = '', parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 4);
  return {
    isAlive: state !== '' && !'ZX'.includes(state),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
  };
}

/** The real user, which a set-user-id program does not change (proc_pid_status(5)). */
function userOf(pid: string): number {
  return Number(/^Uid:\t(\d+)/m.exec(contentOf(`/proc/${pid}/status`))?.[1] ?? -1);
}

/** Empty if the process is gone, or belongs to another user. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
