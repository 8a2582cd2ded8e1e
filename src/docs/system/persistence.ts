import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Persistence } from '../../../generated/docs/sdk/types.gen.ts';
import type { Sql } from '../../storage/index.ts';

/** `LOW_DISK` warns below this free space, which backups, restores and the write-ahead log need. */
export const LOW_DISK_BYTES = 512 * 2 ** 20;

/** Names of file systems by the magic number that `statfs(2)` returns. */
const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  0x01021994: 'tmpfs',
  0x858458f6: 'ramfs',
  0x794c7630: 'overlay',
  0xef53: 'ext4',
  0x58465342: 'xfs',
  0x9123683e: 'btrfs',
  0x2fc12fc1: 'zfs',
  0xf2f52010: 'f2fs',
  0xca451a4e: 'bcachefs',
  0x6969: 'nfs',
  0xff534d42: 'cifs',
  0xfe534d42: 'smb2',
  0x01021997: '9p',
  0x65735546: 'fuse',
  0x5346544e: 'ntfs',
  0x2011bab0: 'exfat',
  0x4d44: 'vfat',
};

/** Their content is lost with the machine or, for `overlay`, with the container. */
const EPHEMERAL: ReadonlySet<string> = new Set(['tmpfs', 'ramfs', 'overlay']);

/** Where the database is stored and what puts it at risk. Never rejects: an undeterminable value is `unknown`. */
export async function describePersistence({ info }: Pick<Sql, 'info'>): Promise<Persistence> {
  if (info.path === ':memory:') {
    return withWarnings({ path: info.path, filesystem: 'memory', ephemeral: true, writable: true, freeBytes: null });
  }
  // The disk belongs to another server, which reports it to its own operators.
  if (info.driver === 'postgres')
    return withWarnings({
      path: info.path,
      filesystem: 'postgres',
      ephemeral: !info.durable,
      writable: true,
      freeBytes: null,
    });
  const folder = dirname(info.path);
  const [found, writable] = await Promise.all([statfs(folder).catch(() => undefined), isWritable(folder, info.path)]);
  const filesystem = (found && FILE_SYSTEMS[found.type >>> 0]) ?? 'unknown';
  return withWarnings({
    path: info.path,
    filesystem,
    ephemeral: EPHEMERAL.has(filesystem),
    writable,
    freeBytes: found ? Math.min(found.bavail * found.bsize, Number.MAX_SAFE_INTEGER) : null,
  });
}

/** SQLite creates files beside the database, so the folder counts too. */
async function isWritable(...paths: string[]): Promise<boolean> {
  const results = await Promise.allSettled(paths.map((path) => access(path, constants.W_OK)));
  return results.every(({ status }) => status === 'fulfilled');
}

export function withWarnings(state: Omit<Persistence, 'warnings'>): Persistence {
  const warnings: Persistence['warnings'] = [];
  if (state.ephemeral)
    warnings.push({
      code: 'EPHEMERAL_FS',
      detail: `${state.filesystem} does not outlive the machine or container: the data may be lost on restart`,
    });
  if (!state.writable) warnings.push({ code: 'READ_ONLY_DIR', detail: 'the database or its folder cannot be written' });
  if (state.freeBytes !== null && state.freeBytes < LOW_DISK_BYTES) {
    warnings.push({
      code: 'LOW_DISK',
      detail: `${Math.floor(state.freeBytes / 2 ** 20)} MiB are free, fewer than ${LOW_DISK_BYTES / 2 ** 20}`,
    });
  }
  return { ...state, warnings };
}
