import { existsSync, mkdirSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/**
 * Renames a finished file so that a crash leaves either the complete old content or the complete new content. The bytes
 * are on disk before the name refers to them, and the name is on disk when this returns.
 */
export async function durableRename(from: string, to: string): Promise<void> {
  await syncPath(from, 'r+');
  await rename(from, to);
  await syncFolder(dirname(to));
}

/** Flushes the entries of a folder to disk. */
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

/**
 * Creates a folder and its missing parents. They are created one by one, because the recursive form of `mkdir` never
 * returns if the kernel reports a folder as absent (`/proc/x`).
 */
export function makeFolder(folder: string, mode: number): void {
  const missing: string[] = [];
  for (let at = folder; !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const path of missing) mkdirSync(path, { mode });
}

/** Whether an optional package is installed; does not load it. */
export function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
