import type { Block } from '../tree/blocks.ts';
import type { TableRow } from '../tree/tables.ts';
import { type Line, linesOf } from './lines.ts';
import { segmentInlines } from './paragraphs.ts';

/** Two lines are a table if each fills all of at least three columns. */
const LEAST_ROWS = 3;
const MAX_COLUMNS = 30;
/** Lines of a page that are examined as one table. */
const MAX_ROWS = 300;
/** Distance of lines within a cell, as a multiple of their size. */
const CELL_LEADING = 1.6;
/** Rows are further apart than lines within a cell by this factor, if they are apart at all. */
const ROW_GAP = 1.2;
/** Marks of list items, numbers of notes and of literature: text beside them is no table. */
const MARK = /^(?:[•◦▪▸‣●○■□➢\uf0b7*–—-]|\(?(?:\d{1,3}|[ivxl]{1,6}|\p{L})[.)]|\[[^\]\s]{1,12}\])$/iu;
const NUMBER = /^\d{1,3}(?:\.\d{1,3}){0,4}\.?$/;

/** Lines of running text beside one another, and their usual length in characters. */
const LEAST_PROSE = 4;
const PROSE_LENGTH = 30;

interface Column {
  left: number;
  right: number;
}

/** Divides the lines of a region into those of tables and others. */
export function splitTables(lines: readonly Line[]): { table: boolean; lines: Line[] }[] {
  const parts: { table: boolean; lines: Line[] }[] = [];
  for (let start = 0; start < lines.length;) {
    const end = lines[start]!.segments.length > 1 ? endOfTable(lines, start) : start;
    const table = end > start;
    const until = table ? end : Math.max(endOfRows(lines, start), start + 1);
    const own = lines.slice(start, until);
    const columns = table ? columnsOfProse(own) : undefined;
    const last = parts.at(-1);
    if (columns !== undefined) parts.push(...columns.map((column) => ({ table: false, lines: column })));
    else if (!table && last?.table === false) last.lines.push(...own);
    else parts.push({ table, lines: own });
    start = until;
  }
  return parts;
}

/** The lines of each column if what looks like a table is two columns of running text, line beside line. */
function columnsOfProse(lines: readonly Line[]): Line[][] | undefined {
  const columns = columnsOf(lines);
  if (columns?.length !== 2 || lines.length < LEAST_PROSE) return undefined;
  const distances = lines.slice(1).map((line, index) => lines[index]!.y - line.y);
  if (Math.max(...distances) > ROW_GAP * Math.min(...distances)) return undefined;
  const sides = columns.map(({ left, right }) =>
    lines.flatMap((line) => line.segments.filter((segment) => segment.left < right && segment.right > left))
  );
  return sides.every((side) => quantile(side.map(({ text }) => text.length), 0.5) >= PROSE_LENGTH)
    ? sides.map((side) => linesOf(side))
    : undefined;
}

/** The end of consecutive lines of several segments. */
function endOfRows(lines: readonly Line[], start: number): number {
  let end = start;
  while (end < lines.length && lines[end]!.segments.length > 1 &&
    (end === start || isNear(lines[end - 1]!, lines[end]!))) end += 1;
  return end;
}

/** The end of the table that begins with a line; `start` if none does. */
function endOfTable(lines: readonly Line[], start: number): number {
  const ends = [endOfWrapped(lines, start), endOfRows(lines, start)].sort((a, b) => b - a);
  return ends.find((end) => isTable(lines.slice(start, end))) ?? start;
}

/**
 * The end of lines that fit into common columns, of which some have only one segment: further lines of a cell, or a row
 * with one cell. Those after the last row of several cells count if they continue a cell.
 */
function endOfWrapped(lines: readonly Line[], start: number): number {
  let columns: Column[] = columnsOf([lines[start]!]) ?? [];
  let [end, sure] = [start + 1, start + 1];
  let continues = true;
  const most = Math.min(lines.length, start + MAX_ROWS);
  while (columns.length > 1 && end < most && isNear(lines[end - 1]!, lines[end]!)) {
    const line = lines[end]!;
    const wider = columnsWith(columns, line);
    if (wider === undefined || wider.length < columns.length) break;
    const inFirst = line.left < wider[1]!.left;
    continues &&= line.segments.length > 1 || (!inFirst && lines[end - 1]!.y - line.y < CELL_LEADING * line.size);
    columns = wider;
    end += 1;
    if (line.segments.length > 1) continues = true;
    if (continues) sure = end;
  }
  return sure;
}

function isTable(lines: readonly Line[]): boolean {
  const rows = lines.filter((line) => line.segments.length > 1);
  if (rows.length < 2) return false;
  const columns = columnsOf(lines);
  if (columns === undefined || isLabels(rows, columns, rows.length < lines.length)) return false;
  return rows.length >= LEAST_ROWS ||
    (columns.length >= LEAST_ROWS && rows.every((line) => line.segments.length === columns.length));
}

/** Whether the first column has nothing but marks of a list, or labels of the text beside them. */
function isLabels(rows: readonly Line[], columns: readonly Column[], wrapped: boolean): boolean {
  const first = rows.filter((line) => line.left < columns[1]!.left).map((line) => line.segments[0]!.text);
  const most = (test: (value: string) => boolean) => first.filter(test).length > 0.7 * first.length;
  return most((value) => MARK.test(value)) ||
    (columns.length === 2 &&
      (most((value) => value.endsWith(':')) || (wrapped && most((value) => NUMBER.test(value)))));
}

function isNear(before: Line, line: Line): boolean {
  return before.y - line.y < 4 * Math.max(before.size, line.size);
}

/** A table made of lines whose segments are aligned in columns; cells of several lines are joined. */
export function tableBlock(lines: readonly Line[]): Block {
  const columns = columnsOf(lines)!;
  const rows: TableRow[] = rowsOf(lines, columns).map((row) => ({
    cells: columns.map(({ left, right }) => {
      const inside = row.flatMap((line) =>
        line.segments.filter((segment) => segment.left < right && segment.right > left)
      );
      if (inside.length === 0) return { blocks: [] };
      const inlines = inside.flatMap((segment, index) => [
        ...(index > 0 ? [{ kind: 'text' as const, value: ' ', look: {} }] : []),
        ...segmentInlines(segment),
      ]);
      return { blocks: [{ kind: 'paragraph', inlines }] };
    }),
  }));
  return { kind: 'table', rows };
}

/** The lines of each row, by the gaps between rows if those are wider than the gaps within cells. */
function rowsOf(lines: readonly Line[], columns: readonly Column[]): Line[][] {
  const inFirst = (line: Line) => line.left < columns[1]!.left;
  const tight = quantile(columns.flatMap((column) => distancesIn(lines, column)), 0.25);
  const groups = divided(lines, (line, before) => before.y - line.y > ROW_GAP * tight);
  const wrapped = groups.filter((group) => group.length > 1);
  if (tight > CELL_LEADING * lines[0]!.size || groups.length < 3 || wrapped.length === 0)
    return rowsByFirstColumn(lines, inFirst);
  const isFull = (line: Line) => line.segments.length === columns.length;
  const twoRows = (line: Line, before: Line) => isFull(line) && isFull(before);
  // The header may be as near to the first row as lines within a cell.
  const others = groups.slice(1).some((group) => group.slice(1).some((line, index) => twoRows(line, group[index]!)));
  return others ? groups : [...divided(groups[0]!, twoRows), ...groups.slice(1)];
}

function distancesIn(lines: readonly Line[], { left, right }: Column): number[] {
  const inside = lines.filter((line) => line.segments.some((segment) => segment.left < right && segment.right > left));
  return inside.slice(1).map((line, index) => inside[index]!.y - line.y);
}

/** Rows that begin with lines that fill the first column, unless only that cell has a second line. */
function rowsByFirstColumn(lines: readonly Line[], inFirst: (line: Line) => boolean): Line[][] {
  const starts = lines.filter((line) => line.segments.length > 1 && inFirst(line));
  const usual = quantile(starts.slice(1).map((line, index) => starts[index]!.y - line.y), 0.5);
  return divided(lines, (line, before) => {
    const distance = before.y - line.y;
    const tight = distance < CELL_LEADING * line.size;
    if (!tight) return true;
    return line.segments.length > 1
      ? inFirst(line) || distance > 0.9 * usual
      : inFirst(line) && distance > 0.85 * usual;
  });
}

/** Lines in groups, of which each begins with a line for which `begins` holds. */
function divided(lines: readonly Line[], begins: (line: Line, before: Line) => boolean): Line[][] {
  const groups: Line[][] = [];
  lines.forEach((line, index) => {
    if (index === 0 || begins(line, lines[index - 1]!)) groups.push([line]);
    else groups.at(-1)!.push(line);
  });
  return groups;
}

function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}

/** The columns of lines; undefined unless each line has at most one segment in each column. */
function columnsOf(lines: readonly Line[]): Column[] | undefined {
  const columns: Column[] = [];
  for (const segment of lines.flatMap((line) => [...line.segments]).sort((a, b) => a.left - b.left)) {
    const last = columns.at(-1);
    if (last !== undefined && segment.left < last.right) last.right = Math.max(last.right, segment.right);
    else columns.push({ left: segment.left, right: segment.right });
  }
  if (columns.length < 2 || columns.length > MAX_COLUMNS) return undefined;
  return lines.every((line) => fits(line, columns)) ? columns : undefined;
}

function fits(line: Line, columns: readonly Column[]): boolean {
  return columns.every(({ left, right }) =>
    line.segments.filter((segment) => segment.left < right && segment.right > left).length <= 1
  );
}

/** The columns with the segments of a further line; undefined if the line has two in one column. */
function columnsWith(columns: readonly Column[], line: Line): Column[] | undefined {
  const merged: Column[] = [];
  const all = [...columns, ...line.segments.map(({ left, right }) => ({ left, right }))];
  for (const { left, right } of all.sort((a, b) => a.left - b.left)) {
    const last = merged.at(-1);
    if (last !== undefined && left < last.right) last.right = Math.max(last.right, right);
    else merged.push({ left, right });
  }
  return merged.length <= MAX_COLUMNS && fits(line, merged) ? merged : undefined;
}
