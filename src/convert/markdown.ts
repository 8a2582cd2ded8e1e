import type { Nodes, Parents, Root } from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkStringify from 'remark-stringify';
import { unified } from 'unified';

/** An extension of the printer, nested as in remark-gfm. */
interface PrinterExtension {
  extensions?: PrinterExtension[];
  unsafe?: { character: string }[];
}

/**
 * Addresses in text are written unchanged. The extension for them would escape each `@` and `:`, and search would then
 * index another word.
 */
function withoutAutolinks(list: PrinterExtension[]): PrinterExtension[] {
  return list.filter((extension) => !extension.unsafe?.some(({ character }) => character === '@')).map((
    extension,
  ) => (extension.extensions === undefined
    ? extension
    : { ...extension, extensions: withoutAutolinks(extension.extensions) })
  );
}

const printer = unified().use(remarkGfm, { tablePipeAlign: false }).use(function plainAddresses() {
  const data = this.data() as { toMarkdownExtensions?: PrinterExtension[] };
  data.toMarkdownExtensions = withoutAutolinks(data.toMarkdownExtensions ?? []);
}).use(remarkStringify, {
  bullet: '-',
  emphasis: '*',
  strong: '*',
  fence: '`',
  fences: true,
  rule: '-',
  listItemIndent: 'one',
  incrementListMarker: true,
  resourceLink: true,
}).freeze();

/**
 * Prints a tree as markdown in the one style that all formats share: `#` headings, `-` lists, GFM tables, fenced code.
 */
export function toMarkdown(root: Root): string {
  simplifyMarks(root);
  return printer.stringify(root);
}

/** The plain text of a tree: one line per block, cells of a table separated by tabs, an empty line between blocks. */
export function toPlainText(root: Root): string {
  const lines: string[] = [];
  for (const node of root.children) lines.push(blockText(node));
  return `${lines.filter((line) => line !== '').join('\n\n')}\n`;
}

function blockText(node: Nodes): string {
  switch (node.type) {
    case 'list':
    case 'listItem':
    case 'blockquote':
    case 'footnoteDefinition':
    case 'table':
      return node.children.map(blockText).filter((line) => line !== '').join('\n');
    case 'tableRow':
      return node.children.map(blockText).join('\t').trimEnd();
    case 'code':
    case 'inlineCode':
    case 'text':
      return node.value;
    case 'html':
      return /^<br\s*\/?>$/i.test(node.value) ? ' ' : node.value;
    case 'break':
      return '\n';
    case 'image':
      return node.alt ?? '';
    default:
      return 'children' in node ? node.children.map(blockText).join('') : '';
  }
}

const MARKS: ReadonlySet<string> = new Set(['emphasis', 'strong', 'delete']);

/**
 * Simplifies marks of a tree in place: those within others of the same kind are removed, and those beside others of the
 * same kind are joined with them. Neither changes what is shown, and pages whose marks are not closed nest them by the
 * hundred. The printer looks for characters with which each of them can be read: it tries others for each mistake, and
 * reads the whole paragraph again, which takes a time that grows with the cube of its length.
 */
export function simplifyMarks(node: Nodes, within: readonly string[] = []): void {
  if (!('children' in node)) return;
  const inner = MARKS.has(node.type) ? [...within, node.type] : within;
  const children: Nodes[] = [];
  for (const child of node.children as Nodes[]) {
    simplifyMarks(child, inner);
    const parts = inner.includes(child.type) ? ((child as Parents).children as Nodes[]) : [child];
    for (const part of parts) append(children, part);
  }
  node.children = children as typeof node.children;
}

function append(children: Nodes[], node: Nodes): void {
  const last = children.at(-1);
  if (last === undefined || last.type !== node.type || !MARKS.has(node.type)) children.push(node);
  else for (const part of (node as Parents).children as Nodes[]) append((last as Parents).children as Nodes[], part);
}
