import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ResolvedRef } from './remote-refs.ts';

/**
 * Turns a bare repository that no other user may enter yet into the repository of a work tree: sets its origin, and
 * what is checked out. Writing the files directly replaces six processes of git (gitrepository-layout(5)).
 */
export async function arrangeRepository(folder: string, url: string, source?: ResolvedRef): Promise<void> {
  const config = await readFile(join(folder, 'config'), 'utf8');
  await writeFile(join(folder, 'config'), config.replace('bare = true', 'bare = false'));
  await appendFile(join(folder, 'config'),
    `[remote "origin"]\n\turl = ${quoted(url)}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`);
  await rm(join(folder, 'FETCH_HEAD'), { force: true });
  if (source === undefined) return;
  const { commit, branch } = source;
  if (branch === undefined) return writeFile(join(folder, 'HEAD'), `${commit}\n`);
  for (const ref of [`refs/heads/${branch}`, `refs/remotes/origin/${branch}`]) {
    await mkdir(dirname(join(folder, ref)), { recursive: true });
    await writeFile(join(folder, ref), `${commit}\n`);
  }
  await appendFile(join(folder, 'config'),
    `[branch ${quoted(branch)}]\n\tremote = origin\n\tmerge = ${quoted(`refs/heads/${branch}`)}\n`);
  await writeFile(join(folder, 'HEAD'), `ref: refs/heads/${branch}\n`);
}

/** Quotes values and names of sections (git-config(1), "Syntax"). */
function quoted(text: string): string {
  if (/[\u0000-\u001f]/.test(text)) throw new Error('the address of the repository has control characters');
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
