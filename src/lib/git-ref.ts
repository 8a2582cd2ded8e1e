/** Longest name of a branch or tag that is taken. */
const MAX_LENGTH = 255;

/** What no part of a name may hold (git-check-ref-format(1)): controls, spaces, and what revisions are written with. */
 
const FORBIDDEN = /[\u0000-\u0020\u007f~^:?*[\\]/;

/** Whether a text can be the name of a branch, a tag or another ref, or of a commit: never an option, a range or an expression. */
export function isGitRef(text: string): boolean {
  if (text === '' || text.length > MAX_LENGTH || FORBIDDEN.test(text) || !text.isWellFormed()) return false;
  if (text.startsWith('-') || text === '@' || text.includes('..') || text.includes('@{') || text.endsWith('.')) return false;
  return text.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'));
}

const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/** Whether a text is the whole name of a commit, as SHA-1 or SHA-256. */
export const isCommit = (text: string): boolean => COMMIT.test(text);
