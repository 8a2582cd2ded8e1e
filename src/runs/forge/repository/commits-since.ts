import { createPathGlob } from '../../../lib/path-glob.ts';
import type { CommitsSince, ListedCommit } from '../port.ts';
import { GitFailure } from './git.ts';
import type { Mirror } from './mirror.ts';

/** Most commits that are listed; the rest are counted. */
const MAX_COMMITS = 200;
/** Commits among which the last release is looked for, newest first. */
const LOOKED_AT = 100_000;
/** Characters of a subject and of a name that are kept. */
const [MAX_SUBJECT, MAX_AUTHOR] = [200, 100];

export interface SinceQuery {
  readonly head: string;
  /** Commits of refs by full name, as `Repositories.refs` returns them. */
  readonly refs: ReadonlyMap<string, string>;
  /** Pattern of the tags that are releases; empty for none. */
  readonly tag: string;
  /** Commits of earlier releases, newest first, for a repository without such a tag. */
  readonly released: readonly string[];
}

/**
 * The commits since the newest release: the newest tag that fits and that `head` contains, else the first of `released`
 * that `head` contains. Without either, all commits. Rejects with a `GitFailure`.
 */
export async function commitsSince(mirror: Mirror, query: SinceQuery): Promise<CommitsSince> {
  const { head } = query;
  await mirror.fetch(head, 'HEAD');
  const tag = await lastTag(mirror, query);
  const previousCommit = tag?.commit ?? await firstContained(mirror, query) ?? null;
  const range = previousCommit === null ? [head] : [head, `^${previousCommit}`];
  const count = Number((await mirror.read(['rev-list', '--count', ...range])).toString());
  const commits = await listed(mirror, range);
  return {
    previousTag: tag?.name ?? null,
    previousCommit,
    head,
    commits,
    truncated: Math.max(0, count - commits.length),
  };
}

async function lastTag(mirror: Mirror,
  { head, refs, tag }: SinceQuery): Promise<{ name: string; commit: string } | undefined>
{
  if (tag === '') return undefined;
  const fits = createPathGlob(tag);
  const names = [...refs].flatMap(([ref, commit]) => {
    const name = ref.startsWith('refs/tags/') ? ref.slice('refs/tags/'.length) : '';
    return name !== '' && fits(name) ? [{ name, commit }] : [];
  });
  if (names.length === 0) return undefined;
  // In this order no commit comes before those that contain it.
  const order = (await mirror.read(['rev-list', '--date-order', `--max-count=${LOOKED_AT}`, head])).toString();
  const byCommit = Map.groupBy(names, ({ commit }) => commit);
  for (const commit of order.split('\n')) {
    const found = byCommit.get(commit);
    // Of several tags of a commit, such as v1 and v1.2.0, the most exact.
    if (found !== undefined) return found.reduce((best, each) => (isMoreExact(each.name, best.name) ? each : best));
  }
  return undefined;
}

const NUMERIC = new Intl.Collator('en', { numeric: true });

const isMoreExact = (name: string, than: string): boolean => NUMERIC.compare(name, than) > 0;

async function firstContained(mirror: Mirror, { head, released }: SinceQuery): Promise<string | undefined> {
  for (const commit of released) {
    // A commit that the history does not have (any more) is not asked for.
    if (await mirror.has(commit) && await contains(mirror, head, commit)) return commit;
  }
  return undefined;
}

async function contains(mirror: Mirror, head: string, commit: string): Promise<boolean> {
  try {
    await mirror.read(['merge-base', '--is-ancestor', commit, head]);
    return true;
  } catch (error) {
    if (error instanceof GitFailure && error.exitCode === 1) return false;
    throw error;
  }
}

/** `rev-list` reads neither a mailmap nor signatures, which `log` may. */
async function listed(mirror: Mirror, range: readonly string[]): Promise<ListedCommit[]> {
  const text =
    (await mirror.read(['rev-list', '--date-order', `--max-count=${MAX_COMMITS}`, '--format=%H%x00%an%x00%aI%x00%s',
      ...range])).toString();
  return text.split('\n').flatMap((line) => {
    // Each is preceded by a line with its name alone.
    const [commit, author, date, subject] = line.split('\0');
    if (commit === undefined || author === undefined || date === undefined || subject === undefined) return [];
    return [{ commit, author: cut(author, MAX_AUTHOR), date, subject: cut(subject, MAX_SUBJECT) }];
  });
}

/** Without control characters, whose escapes would make the list longer than an input may be. */
const cut = (text: string, length: number): string =>
  text.replaceAll(/\p{Cc}+/gu, ' ').trim().slice(0, length).toWellFormed();
