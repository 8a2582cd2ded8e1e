import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAliveAs, ownName } from '../process/index.ts';

/** File in the folder of an attempt that names the process that uses it. */
export const OWNER_FILE = '.owner';

/** The text that identifies this process. */
export const ownerText = ownName;

/** Whether the process that uses a folder is alive. */
export function isOwned(folder: string): boolean {
  return isAliveAs(ownerOf(folder));
}

/** Whether another living process uses a folder. */
export function isOwnedByOther(folder: string): boolean {
  return ownerOf(folder) !== ownName() && isOwned(folder);
}

function ownerOf(folder: string): string {
  try {
    return readFileSync(join(folder, OWNER_FILE), 'utf8');
  } catch {
    return '';
  }
}
