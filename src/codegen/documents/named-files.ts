/** Names of source files in the code spans of a page, or in comments: `links.ts`, `documents/links.ts`. */
const NAME = /(?<![\w/.{}<>$*-])(?:\.{0,2}\/)*((?:[\w@-]+\/)*[\w-][\w.-]*\.tsx?)(?![\w*])/g;
const COMMENT = /^\s*(?:\/\/|\/\*\*|\*).*$/;
const CODE_SPAN = /`[^`]+`/g;

/** `asm/NAME.ts` stands for many files, `a.ts` for any, and `data.d.ts` for none of the sources. */
const PLACEHOLDER = /(?:^|\/)(?:[A-Z]+|[a-z])\.tsx?$|\.d\.ts$/;
/** Files that commands write, which are not read here. */
const WRITTEN = /^generated\//;

/**
 * The endings of the paths of a project by which its files can be named: `a/b/c.ts` is `c.ts`, `b/c.ts` and `a/b/c.ts`.
 */
export function namesOf(paths: Iterable<string>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const path of paths) {
    for (let at = -1;;) {
      names.add(path.slice(at + 1));
      at = path.indexOf('/', at + 1);
      if (at === -1) break;
    }
  }
  return names;
}

/**
 * One line for each TypeScript file that a page, or a comment of a source, names and that is not there. Blocks of code
 * are not read.
 */
export function missingFiles(file: string, text: string, names: ReadonlySet<string>): string[] {
  let isBlock = false;
  return text.split('\n').flatMap((line, at) => {
    if (file.endsWith('.md') && line.trimStart().startsWith('```')) isBlock = !isBlock;
    const told = file.endsWith('.md')
      ? (isBlock ? '' : (line.match(CODE_SPAN)?.join(' ') ?? ''))
      : COMMENT.test(line)
      ? line
      : '';
    return [...told.matchAll(NAME)].map(([, name]) => name!).filter((name) =>
      !names.has(name) && !PLACEHOLDER.test(name) && !WRITTEN.test(name)
    ).map((name) => `${file}:${at + 1}: there is no file ${name}`);
  });
}
