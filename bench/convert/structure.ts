// The structural parts of a markdown text, by which converters are compared.
import type { Nodes, Root } from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';

/** The parts of a document that a converter must preserve. */
export interface Structure {
  /** Depth and text. */
  readonly headings: readonly (readonly [depth: number, text: string])[];
  /** Texts of non-empty cells, in the order of rows. */
  readonly cells: readonly string[];
  /** Level from 0 and the text of the item's first paragraph. */
  readonly items: readonly (readonly [level: number, text: string])[];
  /** Text and address. */
  readonly links: readonly (readonly [text: string, address: string])[];
  /** Number of code blocks and notes. */
  readonly code: readonly string[];
  readonly notes: readonly string[];
}

const parser = unified().use(remarkParse).use(remarkGfm);

export function structureOf(markdown: string): Structure & { readonly text: string } {
  const { title, body } = withoutHead(markdown);
  const found = {
    headings: [] as [number, string][],
    cells: [] as string[],
    items: [] as [number, string][],
    links: [] as [string, string][],
    code: [] as string[],
    notes: [] as string[],
  };
  if (title !== undefined) found.headings.push([1, normal(title)]);
  collect(parser.parse(body), found, -1);
  return { ...found, text: normal(`${title ?? ''}\n${plain(parser.parse(body))}`) };
}

/** Pandoc writes a title into the front matter, where the others have a heading. */
function withoutHead(markdown: string): { title: string | undefined; body: string } {
  const head = /^---\n([^]*?)\n---\n/.exec(markdown);
  if (head === null) return { title: undefined, body: markdown };
  const title = /^title: (?:[|>]-?\n {2})?(.*(?:\n {2}.*)*)/m.exec(head[1]!)?.[1];
  return { title: title?.replace(/^["']|["']$/g, ''), body: markdown.slice(head[0].length) };
}

function collect(node: Nodes,
  found: { headings: [number, string][]; cells: string[]; items: [number, string][]; links: [string, string][];
    code: string[]; notes: string[] }, level: number): void
{
  if (node.type === 'heading') found.headings.push([node.depth, normal(plain(node))]);
  if (node.type === 'tableCell' && normal(plain(node)) !== '') found.cells.push(normal(plain(node)));
  if (node.type === 'listItem')
    found.items.push([level,
      normal(node.children.filter((child) => child.type !== 'list').slice(0, 1).map(plain).join(' '))]);
  if (node.type === 'link') found.links.push([normal(plain(node)), node.url.replace(/\/$/, '')]);
  if (node.type === 'code') found.code.push(normal(node.value));
  if (node.type === 'footnoteDefinition') found.notes.push(normal(plain(node)));
  if ('children' in node) {
    for (const child of node.children)
      collect(child, found, node.type === 'list' ? level : child.type === 'list' ? level + 1 : level);
  }
}

/** The text of a tree; blocks and line breaks are separated by spaces. */
export function plain(node: Nodes | Root): string {
  if (node.type === 'html') return ' ';
  if ('value' in node) return node.value;
  // Descriptions of pictures are not compared, because converters differ on whether they are text.
  if (node.type === 'image') return '';
  if (node.type === 'break') return ' ';
  if (!('children' in node)) return '';
  const separator = ['paragraph', 'heading', 'link', 'strong', 'emphasis', 'delete', 'tableCell'].includes(node.type)
    ? ''
    : ' ';
  return node.children.map(plain).join(separator);
}

/** Normalises text for comparison: white space, dashes and quotes. */
export function normal(text: string): string {
  return text.replace(/\\([^\w\s])/g, '$1').replace(/[‐‑–—]/g, '-').replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replace(
    /^[•]\s*/,
    '',
  ).replace(/\s+/g, ' ').trim();
}

/** The harmonic mean of precision and recall of two multisets; 1 if both are empty. */
export function f1(expected: readonly unknown[],
  found: readonly unknown[]): { hits: number; expected: number; found: number }
{
  const counts = new Map<string, number>();
  for (const value of expected) counts.set(JSON.stringify(value), (counts.get(JSON.stringify(value)) ?? 0) + 1);
  let hits = 0;
  for (const value of found) {
    const key = JSON.stringify(value);
    const left = counts.get(key) ?? 0;
    if (left > 0) hits += 1;
    counts.set(key, left - 1);
  }
  return { hits, expected: expected.length, found: found.length };
}
