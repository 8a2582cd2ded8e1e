import type { ForgeOrigin } from '../port.ts';
import { GitFailure } from './git.ts';
import type { Mirror } from './mirror.ts';

/** Most changed files; where there are more, conditions about paths hold. */
const MAX_PATHS = 3000;

/**
 * The files that a push has changed, or a pull request since it left its base; undefined if git cannot tell: for tags,
 * new branches, histories that were replaced, and for more than 3,000 files.
 */
export async function changedPaths(mirror: Mirror, origin: ForgeOrigin): Promise<readonly string[] | undefined> {
  const { commit, before, ref, pullRequest } = origin;
  if (commit === '' || (pullRequest === undefined && (before === '' || origin.event !== 'push'))) return undefined;
  await mirror.fetch(commit, ref);
  try {
    const base = pullRequest === undefined ? before : await mergeBase(mirror, pullRequest.base, commit);
    await mirror.fetch(base, '');
    // `--no-renames`: finding renames would fetch the contents of files.
    const list = await mirror.read(['diff-tree', '-r', '-z', '--name-only', '--no-renames', base, commit]);
    const paths = list.toString().split('\0').filter((path) => path !== '');
    return paths.length > MAX_PATHS ? undefined : paths;
  } catch (error) {
    // The commit before is gone, or there are too many files. That git itself fails in another way shows at `fetch`.
    if (error instanceof GitFailure) return undefined;
    throw error;
  }
}

async function mergeBase(mirror: Mirror, base: string, commit: string): Promise<string> {
  return (await mirror.read(['merge-base', `refs/heads/${base}`, commit])).toString().trim();
}
