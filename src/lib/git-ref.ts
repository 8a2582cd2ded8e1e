/** Maximum length of the name of a branch or tag. */
const MAX_LENGTH = 255;

/**
 * Characters that no part of a name may contain (git-check-ref-format(1)): control characters, spaces, and the syntax
 * of revisions.
 */

const FORBIDDEN = /[\u0000-\u0020\u007f~^:?*[\\]/;

/**
 * Whether a text can be the name of a branch, tag or other ref, or of a commit. Options, ranges and expressions are
 * never accepted.
 */
export function isGitRef(text: string): boolean {
  if (text === '' || text.length > MAX_LENGTH || FORBIDDEN.test(text) || !text.isWellFormed()) return false;
  if (text.startsWith('-') || text === '@' || text.includes('..') || text.includes('@{') || text.endsWith('.'))
    return false;
  return text.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'));
}

const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/** Whether a text is the full name of a commit, in SHA-1 or SHA-256. */
export const isCommit = (text: string): boolean => COMMIT.test(text);
