import { createGlob, type Glob } from './glob.ts';

/** Any number of folders, also none. */
const FOLDERS = Symbol('**');

/**
 * A pattern for paths and names of branches: `*` and `?` stand for letters of one part, `**` for any number of whole
 * parts. It is matched part by part as `createGlob` matches characters, so a test takes at most as many steps as both
 * have parts.
 */
export function createPathGlob(pattern: string): Glob {
  const wanted = pattern.split('/').map((part) => (part === '**' ? FOLDERS : createGlob(part)));
  return (path) => {
    const parts = path.split('/');
    let [at, star, taken] = [0, -1, 0];
    for (let i = 0; i < parts.length;) {
      const part = wanted[at];
      if (part === FOLDERS) {
        star = at++;
        taken = i;
      } else if (part !== undefined && part(parts[i]!)) {
        at++;
        i++;
      } else if (star >= 0) {
        at = star + 1;
        i = ++taken;
      } else {
        return false;
      }
    }
    while (wanted[at] === FOLDERS) at++;
    // `docs/**` are the files below docs, and not a file of that name.
    return at === wanted.length && !(wanted.at(-1) === FOLDERS && parts.length < wanted.length);
  };
}

/**
 * Several patterns, of which the last that fits decides; those that begin with `!` exclude. If the first one excludes,
 * everything else is included.
 */
export function createPathGlobs(patterns: readonly string[]): Glob {
  const rules = patterns.map((pattern) => ({
    includes: !pattern.startsWith('!'),
    matches: createPathGlob(pattern.replace(/^!/, '')),
  }));
  return (path) => rules.findLast(({ matches }) => matches(path))?.includes ?? rules[0]?.includes === false;
}
