import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Gives a finished file its final name so that a crash leaves either the old content or the new,
 * whole: the bytes are on disk before the name points to them, and the name is on disk on return.
 */
export async function durableRename(from: string, to: string): Promise<void> {
  await syncPath(from, 'r+');
  await rename(from, to);
  await syncFolder(dirname(to));
}

/** Puts the names within a folder on disk. */
export function syncFolder(folder: string): Promise<void> {
  return syncPath(folder, 'r');
}

async function syncPath(path: string, flags: 'r' | 'r+'): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
