import type { PageContext } from './context.ts';
import { codeSpan } from './escape.ts';
import { inline } from './inline.ts';
import { attributeOf } from './tags.ts';
import { LONE_MARK } from './writer.ts';

interface Cell {
  readonly isHeader: boolean;
  readonly attributes: string;
  text: string;
}

/** Limit on the cells that spans produce: attributes of a few bytes must not become many cells. */
const MOST_COLUMNS = 100;
const MOST_SPANNED = 20_000;

/** Cells with more text than this, in characters, are parts of a page's layout. */
const LONGEST_CELL = 3000;

/**
 * The lines between `{|` and `|}` as a table of markdown, after its caption. A layout table, which has one column or
 * whole sections in its cells, is replaced by the blocks of its cells, which `inner` reads; without `inner`, every
 * table stays a table.
 */
export function readTable(lines: readonly string[], context: PageContext,
  inner?: (text: string) => string[]): string[]
{
  const { rows, before } = readRows(lines);
  const blocks = before.filter((text) => text !== '').flatMap((text) => inner?.(text) ?? [cellText(text, context)])
    .filter((block) => block !== '');
  const width = Math.max(0, ...rows.map((row) => row.length));
  if (width === 0) return blocks;
  const cells = rows.flat();
  if (inner !== undefined && (width === 1 || cells.some(({ text }) => text.length > LONGEST_CELL || /\n==/.test(text))))
    return [...blocks, ...cells.flatMap(({ text }) => inner(text.trim()))];
  const grid = layOut(rows, context);
  const columns = Math.max(...grid.map((row) => row.length));
  const hasHeader = rows[0]!.every(({ isHeader }) => isHeader);
  const head = hasHeader ? grid[0]! : [];
  const write = (row: readonly string[]): string =>
    `| ${Array.from({ length: columns }, (_, i) => row[i] ?? '').join(' | ')} |`;
  const table = [write(head), `|${' --- |'.repeat(columns)}`,
    ...grid.slice(hasHeader ? 1 : 0).filter((row) => row.some((cell) => cell !== '')).map(write)];
  return table.length === 2 && !hasHeader ? blocks : [...blocks, table.join('\n')];
}

/** The cells by row, and the text before the first: the caption and text that belongs to no cell. */
function readRows(lines: readonly string[]): { rows: Cell[][]; before: string[] } {
  const rows: Cell[][] = [[]];
  const before: string[] = [];
  let [depth, isCaption] = [0, false];
  for (const line of lines) {
    const trimmed = line.trimStart();
    const row = rows.at(-1)!;
    const isWithin = depth > 0;
    if (trimmed.startsWith('{|')) depth++;
    else if (trimmed.startsWith('|}') && depth > 0) depth--;
    if (isWithin || depth > 0) addText(row.at(-1) ?? lastOf(rows), line, before);
    else if (trimmed.startsWith('|-')) {
      rows.push([]);
      before.push(withoutAttributes(trimmed.slice(2)));
    } else if (trimmed.startsWith('|+')) {
      before.push(contentOf(trimmed.slice(2)).text.trim());
      isCaption = true;
      continue;
    } else if (trimmed.startsWith('|') || trimmed.startsWith('!')) row.push(...cellsOf(trimmed));
    else if (isCaption) before.push(`${before.pop()!}\n${line}`);
    else addText(row.at(-1), line, before);
    isCaption &&= !/^[|!]/.test(trimmed);
  }
  return { rows: rows.filter((row) => row.length > 0), before };
}

/** Removes dashes and attributes from the rest of a line where attributes may stand, and keeps the words. */
export function withoutAttributes(rest: string): string {
  return rest.includes('=') ? '' : rest.replace(/^[-\s]+/, '').trimEnd();
}

const lastOf = (rows: readonly Cell[][]): Cell | undefined => rows.findLast((row) => row.length > 0)?.at(-1);

function addText(cell: Cell | undefined, line: string, before: string[]): void {
  if (cell !== undefined) cell.text += `\n${line}`;
  else if (line.trim() !== '') before.push(line);
}

function cellsOf(line: string): Cell[] {
  const isHeader = line.startsWith('!');
  return line.slice(1).split(isHeader ? /!!|\|\|/ : '||').map((part) => ({ isHeader, ...contentOf(part) }));
}

/** Splits `attributes | text`; text before the bar of a link is not an attribute. */
function contentOf(part: string): { attributes: string; text: string } {
  const bar = part.indexOf('|');
  const before = part.slice(0, Math.max(bar, 0));
  const isAttributes = bar >= 0 && !/\[\[|\u0001/.test(before) && (before.includes('=') || before.trim() === '');
  return isAttributes ? { attributes: before, text: part.slice(bar + 1) } : { attributes: '', text: part };
}

/** Each cell at its position; the other positions that it spans are empty. */
function layOut(rows: readonly Cell[][], context: PageContext): string[][] {
  const grid: string[][] = rows.map(() => []);
  let spanned = 0;
  for (const [y, row] of rows.entries()) {
    let x = 0;
    for (const cell of row) {
      while (grid[y]![x] !== undefined) x++;
      if (x >= MOST_COLUMNS) {
        // Its text goes to the last column, so that it is not lost.
        grid[y]![MOST_COLUMNS - 1] += ` ${cellText(cell.text, context)}`;
        continue;
      }
      const across = Math.min(spanOf(cell.attributes, 'colspan'), MOST_COLUMNS - x);
      const down = Math.min(spanOf(cell.attributes, 'rowspan'), rows.length - y);
      spanned += across * down - 1;
      const isSpread = spanned <= MOST_SPANNED;
      for (let i = 0; i < (isSpread ? down : 1); i++)
        for (let j = 0; j < (isSpread ? across : 1); j++) grid[y + i]![x + j] ??= '';
      grid[y]![x] = cellText(cell.text, context);
    }
  }
  return grid.map((row) => Array.from(row, (cell) => cell ?? ''));
}

function spanOf(attributes: string, name: 'colspan' | 'rowspan'): number {
  if (!attributes.includes('span')) return 1;
  const span = Number.parseInt(attributeOf(attributes, name), 10);
  return span >= 1 && span <= 1000 ? span : 1;
}

/** A cell has one line; several lines are separated by breaks, and nested tables are replaced by their cells. */
function cellText(text: string, context: PageContext): string {
  return text.split('\n').map((line) => lineText(line.trim(), context)).filter((line) => line !== '').join('<br>')
    .replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function lineText(line: string, context: PageContext): string {
  const lone = LONE_MARK.exec(line);
  const piece = lone === null ? undefined : context.marks.get(lone[1]!);
  if (piece?.kind === 'block') return codeSpan(piece.plain);
  if (/^(?:\{\||\|[-}])/.test(line)) return '';
  if (/^[|!]/.test(line))
    return cellsOf(line).map(({ text: cell }) => inline(cell.trim(), context).trim()).filter((cell) => cell !== '')
      .join(' / ');
  const words = line.replace(/^[*#:;]{1,50}\s?/, '').replace(/^={1,6}([^=]{1,400})={1,6}$/, '$1');
  return inline(words, context, { lineBreak: '<br>' }).trim();
}
