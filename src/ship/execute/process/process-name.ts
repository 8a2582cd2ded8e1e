import { readFileSync } from 'node:fs';

/** What names this process; process ids are used again, so the time of its start is part of it. */
export function ownName(): string {
  return `${process.pid} ${startOf(process.pid)}`;
}

/** Whether the process of a name is alive. */
export function isAliveAs(name: string): boolean {
  const [pid, start] = name.split(' ');
  return pid !== undefined && /^\d+$/.test(pid) && start === startOf(Number(pid));
}

/** When a process started, in ticks since the machine did (proc_pid_stat(5), field 22); `gone` when there is none. */
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
