import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents. They are created one by one, because the recursive form of `mkdir` never
 * returns if the kernel reports a folder as absent (`/proc/x`).
 */
export function makeFolder(folder: string, mode: number): void {
  const missing: string[] = [];
  for (let at = folder; !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const path of missing) mkdirSync(path, { mode });
}
