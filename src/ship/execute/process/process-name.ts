import { readFileSync } from 'node:fs';

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
