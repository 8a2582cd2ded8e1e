import type { BlockContent, Nodes, PhrasingContent, TableRow as RowNode } from 'mdast';
import { MAX_COLUMNS } from '../limits.ts';
import type { Block } from './blocks.ts';
import { type Inline, inlineText, isBlank, phrasing, text } from './inlines.ts';
import type { ListPlace } from './lists.ts';

/** Number of columns and rows that a cell spans; 1 if absent. */
interface Span {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

export interface TableCell extends Span {
  readonly blocks: readonly Block[];
}

export interface TableRow {
  readonly cells: readonly TableCell[];
}

/** The content of a table of one cell, which is a frame rather than a table; undefined for other tables. */
export function framedBlocks(rows: readonly TableRow[]): readonly Block[] | undefined {
  const grid = gridOf(rows);
  return grid.length === 1 && grid[0]!.length === 1 ? grid[0]![0]!.blocks : undefined;
}

/**
 * A markdown table: the first row is the head, a merged cell fills its first position and leaves the others empty, and
 * blocks of a cell are separated by line breaks.
 */
export function tableNodes(rows: readonly TableRow[]): BlockContent[] {
  return tableOf(gridOf(rows).map((row) => row.map((cell) => cellContent(cell?.blocks ?? []))));
}

/**
 * A table made of the contents of cells; rows without content, and columns without content at the end, are left out.
 */
export function tableOf(cells: readonly PhrasingContent[][][]): BlockContent[] {
  const filled = (row: readonly PhrasingContent[][]) => row.findLastIndex((cell) => cell.length > 0) + 1;
  const kept = cells.filter((row) => filled(row) > 0);
  const width = kept.reduce((most, row) => Math.max(most, filled(row)), 0);
  if (width === 0) return [];
  const children: RowNode[] = kept.map((row) => ({
    type: 'tableRow',
    children: Array.from({ length: width }, (_, column) => ({ type: 'tableCell', children: row[column] ?? [] })),
  }));
  return [{ type: 'table', align: null, children }];
}

/** Cells by row and column; positions that a merged cell covers are undefined. */
export function gridOf<Cell extends Span>(
  rows: readonly { readonly cells: readonly Cell[] }[],
): (Cell | undefined)[][] {
  const grid: (Cell | undefined)[][] = rows.map(() => []);
  const covered: Set<number>[] = rows.map(() => new Set());
  rows.forEach((row, y) => {
    let x = 0;
    for (const cell of row.cells) {
      while (covered[y]!.has(x)) x += 1;
      const columns = Math.max(1, Math.min(cell.columns ?? 1, MAX_COLUMNS - x));
      if (x >= MAX_COLUMNS) break;
      for (let below = 1; below < Math.min(cell.rows ?? 1, rows.length - y); below += 1) {
        for (let right = 0; right < columns; right += 1) covered[y + below]!.add(x + right);
      }
      fill(grid[y]!, x);
      grid[y]![x] = cell;
      x += columns;
      fill(grid[y]!, x);
    }
    while (covered[y]!.has(x)) fill(grid[y]!, x += 1);
  });
  return grid;
}

function fill(row: unknown[], length: number): void {
  while (row.length < length) row.push(undefined);
}

function cellContent(blocks: readonly Block[]): PhrasingContent[] {
  const out: PhrasingContent[] = [];
  for (const line of blocks.flatMap(linesOf)) {
    if (isBlank(line)) continue;
    if (out.length > 0) out.push({ type: 'html', value: '<br>' });
    for (const node of phrasing(line)) out.push(inCell(node));
  }
  return out;
}

/** A bar in a formula would end the cell. */
function inCell(node: PhrasingContent): PhrasingContent {
  if (node.type === 'break') return { type: 'html', value: '<br>' };
  return node.type === 'html'
    ? { ...node, value: node.value.replaceAll('\\|', '\\Vert ').replaceAll('|', '\\vert ') }
    : node;
}

/** A block as lines of a cell, because a markdown cell cannot hold blocks. */
function linesOf(block: Block): (readonly Inline[])[] {
  switch (block.kind) {
    case 'heading':
      return [block.label === undefined ? block.inlines : [text(`${block.label} `), ...block.inlines]];
    case 'paragraph':
      return [
        block.place !== undefined && !block.place.continued
          ? [text(`${itemMark(block.place)} `), ...block.inlines]
          : block.inlines,
      ];
    case 'code':
      return block.text.split('\n').map((line) => [text(line, { code: true })]);
    case 'table':
      return block.rows.map((row) => [text(row.cells.map(cellText).filter((cell) => cell !== '').join('; '))]);
    case 'rule':
      return [];
    case 'nodes':
      return [[text(block.nodes.map(nodeText).join(' '))]];
  }
}

function itemMark({ ordered, number = 1, label, checked }: ListPlace): string {
  if (checked !== undefined) return checked ? '☒' : '☐';
  return label ?? (ordered ? `${number}.` : '•');
}

function nodeText(node: Nodes): string {
  if ('value' in node) return node.value;
  return 'children' in node ? node.children.map(nodeText).join(node.type === 'paragraph' ? '' : ' ') : '';
}

function cellText(cell: TableCell): string {
  return cell.blocks.flatMap(linesOf).map(inlineText).join(' ').trim();
}
