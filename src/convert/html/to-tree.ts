import type { Element, Root as Page } from 'hast';
import type { State } from 'hast-util-to-mdast';
import type { BlockContent, Html, Nodes, PhrasingContent, Root, RootContent } from 'mdast';
import rehypeRemark from 'rehype-remark';
import { unified } from 'unified';
import { gridOf, tableOf } from '../tree/tables.ts';
import { FORMULA } from './formulas.ts';
import { attribute, byName, findAll, rawText } from './parse.ts';

/**
 * A table of HTML. A table that contains another table, has a single cell, or is marked as presentational is a layout:
 * its cells become a sequence of blocks.
 */
function tableHandler(state: State, node: Element): BlockContent[] {
  const rows = ownRows(node);
  const cells = rows.map((row) => ({
    cells: findAll({ type: 'root', children: row.children }, byName('td', 'th')).map((cell) => ({
      cell,
      columns: span(cell, 'colSpan'),
      rows: span(cell, 'rowSpan'),
    })),
  }));
  // Captions of tables in its cells are theirs: each level would convert them again, which doubles with each table
  // within a caption.
  const captions = node.children.filter((child): child is Element =>
    child.type === 'element' && child.tagName === 'caption'
  );
  const caption = captions.flatMap((element) => state.toFlow(state.all(element)) as BlockContent[]);
  if (isLayout(node, cells.flatMap((row) => row.cells)))
    return [...caption,
      ...cells.flatMap((row) => row.cells.flatMap(({ cell }) => state.toFlow(state.all(cell)) as BlockContent[]))];
  return [...caption,
    ...tableOf(
      gridOf(cells).map((row) =>
        row.map((place) => (place === undefined ? [] : cellContent(state.all(place.cell) as Nodes[])))
      ),
    )];
}

function isLayout(table: Element, cells: readonly { cell: Element }[]): boolean {
  if (cells.length <= 1 || ['presentation', 'none'].includes(attribute(table, 'role') ?? '')) return true;
  return cells.some(({ cell }) => findAll(cell, byName('table')).length > 0);
}

/** Rows in display order: the head first, the foot last. */
function ownRows(table: Element): Element[] {
  const parts: { head: Element[]; body: Element[]; foot: Element[] } = { head: [], body: [], foot: [] };
  for (const child of table.children) {
    if (child.type !== 'element') continue;
    const list = child.tagName === 'thead' ? parts.head : child.tagName === 'tfoot' ? parts.foot : parts.body;
    if (child.tagName === 'tr') list.push(child);
    else if (['thead', 'tbody', 'tfoot'].includes(child.tagName))
      list.push(...child.children.filter((row): row is Element => row.type === 'element' && row.tagName === 'tr'));
  }
  return [...parts.head, ...parts.body, ...parts.foot];
}

function span(cell: Element, name: string): number {
  return Math.max(1, Math.min(1000, Math.floor(Number(cell.properties[name] ?? 1)) || 1));
}

/** Converts the blocks of a cell to lines, because a markdown cell cannot hold blocks. */
function cellContent(nodes: readonly Nodes[]): PhrasingContent[] {
  const lines: PhrasingContent[][] = [[]];
  const visit = (node: Nodes, before = ''): void => {
    if (node.type === 'listItem') {
      lines.push([{ type: 'text', value: '• ' }]);
      for (const child of node.children) visit(child, '• ');
    } else if (node.type === 'paragraph' || node.type === 'heading') {
      if (before === '') lines.push([]);
      lines.at(-1)!.push(...(node.children as PhrasingContent[]));
      if (before === '') lines.push([]);
    } else if (node.type === 'code') {
      for (const line of node.value.split('\n'))
        lines.push(line.trim() === '' ? [] : [{ type: 'inlineCode', value: line }]);
      lines.push([]);
    } else if (['list', 'blockquote', 'root', 'table', 'tableRow', 'tableCell'].includes(node.type)) {
      for (const child of (node as { children: Nodes[] }).children) visit(child);
      lines.push([]);
    } else if ('value' in node && (isInlineFormula(node) || node.type === 'html'))
      // A bar would end the cell, and a line end the row.
      lines.at(-1)!.push({ ...(node as Html), value: node.value.replaceAll('|', '\\vert ').replaceAll('\n', ' ') });
    else if (node.type === 'break') lines.push([]);
    else if (node.type !== 'thematicBreak') lines.at(-1)!.push(node as PhrasingContent);
  };
  for (const node of nodes) visit(node);
  return lines.map(trimmed).filter((line) => line.length > 0).flatMap((line,
    index): PhrasingContent[] => (index === 0 ? line : [{ type: 'html', value: '<br>' }, ...line])
  );
}

/** A line without white space at its ends; line ends and breaks within phrases become spaces. */
function trimmed(line: readonly PhrasingContent[]): PhrasingContent[] {
  const nodes = line.map((
    node,
  ): PhrasingContent => (node.type === 'text' ? { ...node, value: node.value.replace(/\s+/g, ' ') } : node));
  while (nodes[0]?.type === 'text' && nodes[0].value.trim() === '') nodes.shift();
  for (let last = nodes.at(-1); last?.type === 'text' && last.value.trim() === ''; last = nodes.at(-1)) nodes.pop();
  const first = nodes[0];
  if (first?.type === 'text') nodes[0] = { ...first, value: first.value.trimStart() };
  const last = nodes.at(-1);
  if (last?.type === 'text') nodes[nodes.length - 1] = { ...last, value: last.value.trimEnd() };
  return nodes;
}

/** A formula stays TeX; dollars at its ends show where it begins and ends. */
function formulaHandler(_state: State, node: Element): Html {
  const tex = rawText(node).trim();
  if (attribute(node, 'display') === 'true') return { type: 'html', value: `$$\n${tex}\n$$` };
  // The converter knows this type of other extensions as a part of a paragraph, and HTML not.
  return { type: 'inlineMath' as 'html', value: `$${tex}$` };
}

/** Whether a node is a formula within a paragraph, which is printed as `html`, without escapes. */
export function isInlineFormula(node: Nodes): boolean {
  return (node.type as string) === 'inlineMath';
}

const converter = unified().use(rehypeRemark, {
  document: true,
  handlers: { table: tableHandler, [FORMULA]: formulaHandler },
  nodeHandlers: { root: rootHandler },
}).freeze();

/** The markdown tree of a page without blanks (`removeBlanks`). */
export function treeOf(page: Page): Root {
  return converter.runSync(page) as Root;
}

/** As the handler of hast-util-to-mdast, which is the first that it calls, but for pages of any number of elements. */
function rootHandler(state: State, page: Page): Root {
  state.all = all;
  const root: Root = { type: 'root', children: state.toFlow(state.all(page)) };
  joinTexts(root);
  return root;
}

/** The original passes all children as arguments of one call, for which the stack is too small from some 100,000 on. */
function all(this: State, parent: Page | Element): RootContent[] {
  const results: RootContent[] = [];
  for (const child of parent.children) {
    const result = this.one(child, parent) as RootContent[] | RootContent | undefined;
    if (Array.isArray(result)) { for (const node of result) results.push(node); }
    else if (result !== undefined) results.push(result);
  }
  return results;
}

/**
 * The original removes each text that it joins from the list of children, which takes a time that grows with the square
 * of their number.
 */
function joinTexts(node: Nodes): void {
  if (!('children' in node)) return;
  const joined: Nodes[] = [];
  for (const child of node.children as Nodes[]) {
    const last = joined.at(-1);
    if (child.type === 'text' && last?.type === 'text') last.value += child.value;
    else {
      joinTexts(child);
      joined.push(child);
    }
  }
  node.children = joined as typeof node.children;
}
