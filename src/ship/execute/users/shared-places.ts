import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { User } from '../sandbox/index.ts';

/** World-writable folders. */
const PLACES = ['/tmp', '/var/tmp', '/dev/shm', '/dev/mqueue'];
const LIMIT_MS = 60_000;

/**
 * Removes what a user has left in world-writable folders: files, and the shared memory, queues and semaphores of System
 * V. It runs as that user, who can remove nothing else, whatever is there.
 */
export async function clearSharedPlaces({ uid, gid }: User): Promise<void> {
  const as = {
    uid,
    gid,
    cwd: '/',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  } as const;
  // Both report errors for what they may not enter or remove; that belongs to others.
  const own = [...PLACES, '-xdev', '-mindepth', '1', '-user', String(uid)];
  await promisify(execFile)('find', [...own, '-type', 'd', '!', '-perm', '-700', '-exec', 'chmod', 'u+rwx', '{}', ';'],
    as).catch(() => undefined);
  await promisify(execFile)('find', [...own, '-delete'], as).catch(() => undefined);
  await promisify(execFile)('ipcrm', ['--all'], as).catch(() => undefined);
}
