import { didYouMean } from '../../../lib/did-you-mean.ts';
import { isCommit, isGitRef } from '../../../lib/git-ref.ts';

/** A commit, and the ref by which it was found. */
export interface ResolvedRef {
  readonly commit: string;
  /** The form that steps see: the name of the branch or tag, or the commit. */
  readonly ref: string;
  /** The checked-out branch; absent for tags and commits. */
  readonly branch?: string;
}

/**
 * Refs by full name, as `git ls-remote --symref` lists them: git does not check the target of HEAD, which becomes the
 * name of a file.
 */
export interface RemoteRefs {
  readonly commits: ReadonlyMap<string, string>;
  /** The target of HEAD, if that is the name of a ref. */
  readonly head: string | undefined;
}

/** Most names in an error message. */
const SHOWN = 10;
const [HEADS, TAGS] = ['refs/heads/', 'refs/tags/'];

export function readRemoteRefs(text: string): RemoteRefs {
  const commits = new Map<string, string>();
  let head: string | undefined;
  for (const line of text.split('\n')) {
    const [value = '', name] = line.split('\t');
    if (name === undefined) continue;
    if (name === 'HEAD' && value.startsWith('ref: ')) {
      const target = value.slice('ref: '.length);
      if (isGitRef(target)) head = target;
    } else if (isCommit(value)) commits.set(name, value);
  }
  return { commits, head };
}

/** The arguments of `git ls-remote`: the names that a ref may mean. */
export function patternsOf(ref: string): string[] {
  if (ref === '') return ['HEAD'];
  return [ref, `${HEADS}${ref}`, `${TAGS}${ref}`].filter((name) => name.startsWith('refs/')).flatMap((
    name,
  ) => [name, `${name}^{}`]);
}

/**
 * The commit of a ref: a branch before a tag; an annotated tag means its commit. Without a ref, the default branch is
 * used.
 */
export function resolveRef({ commits, head }: RemoteRefs, ref: string): ResolvedRef | undefined {
  if (ref === '') {
    const commit = commits.get('HEAD');
    const branch = head?.startsWith(HEADS) ? head.slice(HEADS.length) : undefined;
    return commit === undefined
      ? undefined
      : { commit, ref: branch ?? commit, ...(branch !== undefined && { branch }) };
  }
  for (const name of [`${HEADS}${ref}`, `${TAGS}${ref}`, ...(ref.startsWith('refs/') ? [ref] : [])]) {
    const commit = commits.get(`${name}^{}`) ?? commits.get(name);
    if (commit !== undefined)
      return { commit, ref, ...(name.startsWith(HEADS) && { branch: name.slice(HEADS.length) }) };
  }
  return undefined;
}

/** Why nothing can be checked out, with similar names. */
export function unknownRef({ commits }: RemoteRefs, ref: string): string {
  const names = [HEADS, TAGS].flatMap((prefix) =>
    [...commits.keys()].filter((name) => name.startsWith(prefix) && !name.endsWith('^{}')).map((name) =>
      name.slice(prefix.length)
    )
  );
  const more = names.length > SHOWN ? `, and ${names.length - SHOWN} more` : '';
  const there = names.length === 0 ? 'it has none' : `there are: ${names.slice(0, SHOWN).join(', ')}${more}`;
  if (ref === '') return `the repository has no default branch; ${there}`;
  const hint = /^[0-9a-f]{7,63}$/.test(ref) ? '; a commit is named by all of its characters' : didYouMean(ref, names);
  return `the repository has no branch or tag "${ref}"; ${there}${hint}`;
}
