import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and the missing ones above it. One by one, because the recursive form of `mkdir`
 * never comes back where the kernel refuses a folder as absent (`/proc/x`).
 */
export function makeFolder(folder: string, mode: number): void {
  const missing: string[] = [];
  for (let at = folder; !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const path of missing) mkdirSync(path, { mode });
}
