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
