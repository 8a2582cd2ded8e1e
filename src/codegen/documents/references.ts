import { dirname, join, normalize } from 'node:path/posix';
import type { MarkdownPage } from './markdown.ts';

/** The files and folders of the project, as paths from its root with `/`, and its markdown pages. */
export interface Tree {
  has(path: string): boolean;
  page(path: string): MarkdownPage | undefined;
}

const ABSOLUTE = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;

/** One line for each relative link of a page that leads to no file or heading. Links to other sites are not checked. */
export function deadLinks(file: string, page: MarkdownPage, tree: Tree): string[] {
  return page.links.flatMap(({ target, line }) => {
    const problem = ABSOLUTE.test(target) ? undefined : problemOf(file, target, tree);
    return problem === undefined ? [] : [`${file}:${line}: ${problem}`];
  });
}

function problemOf(file: string, target: string, tree: Tree): string | undefined {
  const [path = '', fragment] = target.split('#', 2);
  const place = path === '' ? file : normalize(join(dirname(file), decode(path))).replace(/\/$/, '');
  if (!tree.has(place)) return `the link ${target} leads to no file`;
  const page = tree.page(place);
  if (fragment === undefined || page === undefined) return undefined;
  return page.anchors.has(decode(fragment)) ? undefined : `the link ${target} leads to no heading of ${place}`;
}

function decode(text: string): string {
  return URL.canParse(text, 'file:///') ? decodeURIComponent(text) : text;
}

/** Names of source files in the code spans of a page, or in comments: `markdown.ts`, `documents/markdown.ts`. */
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

const README = /^src\/([^/]+)\/README\.md$/;

/**
 * One line for each folder of a room that the room's page does not name, and for each helper of `lib`, which has files
 * alone. `paths` are all texts of the project.
 */
export function missingParts(file: string, text: string, paths: Iterable<string>): string[] {
  const room = README.exec(file)?.[1];
  if (room === undefined) return [];
  const named = new Set(text.match(/[\w.-]+/g));
  const missing = new Set<string>();
  for (const path of paths) {
    const [part, ...inside] = path.startsWith(`src/${room}/`) ? path.slice(`src/${room}/`.length).split('/') : [];
    if (part === undefined || named.has(part)) continue;
    const isHelper = room === 'lib' && part.endsWith('.ts') && !part.endsWith('.test.ts');
    if (inside.length > 0 || isHelper) missing.add(part);
  }
  return [...missing].sort().map((part) => `${file}: ${part} is not named`);
}

const VARIABLE = /\bSVC_[A-Z0-9]+(?:_[A-Z0-9]+)*\b(?![*_…])/g;

/**
 * The variables of the document service that a page names; docs/settings.md, which a test compares with the settings,
 * names all.
 */
export function variablesOf(text: string): ReadonlySet<string> {
  return new Set(text.match(VARIABLE));
}

/** One line for each variable of a page that is no setting. */
export function unknownVariables(file: string, text: string, settings: ReadonlySet<string>): string[] {
  return text.split('\n').flatMap((line, at) =>
    [...variablesOf(line)].filter((name) => !settings.has(name)).map((name) =>
      `${file}:${at + 1}: ${name} is no setting`
    )
  );
}

const COMMAND = /(?<!buf )\bcurl .*\s-d /;
const TYPED = /Content-Type|\$json/;

/**
 * One line for each `curl` of a page that sends a body without its type: curl names a form then, which the services
 * refuse.
 */
export function untypedBodies(file: string, text: string): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line,
    at) => (COMMAND.test(line) && !TYPED.test(commandAt(lines, at))
      ? [`${file}:${at + 1}: curl sends a body without its Content-Type`]
      : [])
  );
}

/** A command ends with the line in which its quotes are closed, unless a backslash continues it. */
function commandAt(lines: readonly string[], from: number): string {
  let command = lines[from]!;
  for (let at = from + 1; at < lines.length && (command.endsWith('\\') || command.split("'").length % 2 === 0); at++)
    command += `\n${lines[at]!}`;
  return command;
}
