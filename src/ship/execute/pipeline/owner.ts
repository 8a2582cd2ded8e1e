import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAliveAs, ownName } from '../process/index.ts';

/** In the folder of an attempt: the process that works there. */
export const OWNER_FILE = '.owner';

/** What names this process. */
export const ownerText = ownName;

/** Whether the process that works in a folder is alive. */
export function isOwned(folder: string): boolean {
  return isAliveAs(ownerOf(folder));
}

/** Whether another living process works in a folder. */
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
