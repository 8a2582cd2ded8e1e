import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { User } from './wrap.ts';

/** "nobody" by convention: the id that the kernel itself shows for users that it can't map. */
const NOBODY: User = { uid: 65534, gid: 65534 };

/**
 * Whom steps run as when this process is root: a user without rights, so that they reach neither this
 * process's memory and environment nor its files. Undefined when this process is not root, and, with the
 * folder that is in the way, when the work folder is in a folder that others may not pass through.
 */
export function separateUser(workDir: string): { user?: User; closed?: string } {
  if (process.getuid?.() !== 0) return {};
  for (let folder = workDir; ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return { closed: folder };
    if (folder === dirname(folder)) return { user: NOBODY };
  }
}
