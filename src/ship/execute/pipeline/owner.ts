import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** In the folder of an attempt: the process that works there. */
export const OWNER_FILE = '.owner';

/** What names this process; process ids are used again, so the time of its start is part of it. */
export async function ownerText(): Promise<string> {
  return `${process.pid} ${await startOf(process.pid)}`;
}

/** Whether the process that works in a folder is alive. */
export async function isOwned(folder: string): Promise<boolean> {
  const owner = await ownerOf(folder);
  const [pid, start] = owner.split(' ');
  return pid !== undefined && /^\d+$/.test(pid) && start === await startOf(Number(pid));
}

/** Whether another living process works in a folder. */
export async function isOwnedByOther(folder: string): Promise<boolean> {
  return await ownerOf(folder) !== await ownerText() && await isOwned(folder);
}

async function ownerOf(folder: string): Promise<string> {
  return readFile(join(folder, OWNER_FILE), 'utf8').catch(() => '');
}

/** When a process started, in ticks since the machine did (proc_pid_stat(5), field 22); `gone` when there is none. */
async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  if (stat !== '') return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]!;
  try {
    process.kill(pid, 0); // systems without /proc
    return 'alive';
  } catch {
    return 'gone';
  }
}
