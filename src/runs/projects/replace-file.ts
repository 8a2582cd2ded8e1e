import { randomUUID } from 'node:crypto';
import { chown, copyFile, open, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { durableRename } from '../../lib/files.ts';

/** Error codes of a file that another one cannot replace: it is a mount point, as in containers. */
const NOT_REPLACEABLE = new Set(['EBUSY', 'EXDEV', 'EPERM']);

export interface ReplaceOptions {
  /** For tests. */
  readonly rename?: typeof durableRename;
}

/**
 * Replaces the content of a file in one step; mode and owner stay, and a link stays a link. After a crash the file has
 * the old content or the new. If the file cannot be replaced, it is copied to `<file>.bak` and written in place.
 */
export async function replaceFile(path: string, content: string,
  { rename = durableRename }: ReplaceOptions = {}): Promise<void>
{
  const file = await realpath(path);
  const fresh = join(dirname(file), `.${basename(file)}.${randomUUID()}.tmp`);
  const { mode, uid, gid } = await stat(file);
  try {
    await writeFile(fresh, content, { mode: mode & 0o777, flag: 'wx' });
    await chown(fresh, uid, gid).catch(() => undefined); // only root may change the owner of a file
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    if (!NOT_REPLACEABLE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await writeInPlace(file, content);
  }
}

async function writeInPlace(file: string, content: string): Promise<void> {
  await copyFile(file, `${file}.bak`);
  const handle = await open(file, 'r+');
  try {
    await handle.truncate(0);
    await handle.write(content, 0);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
