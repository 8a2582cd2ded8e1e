import type { Nodes, Root } from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkStringify from 'remark-stringify';
import { unified } from 'unified';
import { simplifyMarks } from './tree/simple-marks.ts';

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
