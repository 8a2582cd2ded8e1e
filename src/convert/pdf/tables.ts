import type { Block } from '../tree/blocks.ts';
import type { TableRow } from '../tree/tables.ts';
import type { Line } from './lines.ts';
import { segmentInlines } from './paragraphs.ts';

/** Two lines are a table if each fills all of at least three columns. */
const LEAST_ROWS = 3;
const MAX_COLUMNS = 30;

/** Divides the lines of a region into those of tables and others. */
export function splitTables(lines: readonly Line[]): { table: boolean; lines: Line[] }[] {
  const parts: { table: boolean; lines: Line[] }[] = [];
  for (let start = 0; start < lines.length;) {
    let end = start;
    while (end < lines.length && lines[end]!.segments.length > 1 &&
      (end === start || isNear(lines[end - 1]!, lines[end]!))) end += 1;
    const table = isTable(lines.slice(start, end));
    const until = table ? end : Math.max(end, start + 1);
    const last = parts.at(-1);
    if (!table && last?.table === false) last.lines.push(...lines.slice(start, until));
    else parts.push({ table, lines: lines.slice(start, until) });
    start = until;
  }
  return parts;
}

function isTable(lines: readonly Line[]): boolean {
  if (lines.length < 2) return false;
  const columns = columnsOf(lines);
  return columns !== undefined &&
    (lines.length >= LEAST_ROWS ||
      (columns.length >= LEAST_ROWS && lines.every((line) => line.segments.length === columns.length)));
}

function isNear(before: Line, line: Line): boolean {
  return before.y - line.y < 4 * Math.max(before.size, line.size);
}

/** A table made of lines whose segments are aligned in columns. */
export function tableBlock(lines: readonly Line[]): Block {
  const columns = columnsOf(lines)!;
  const rows: TableRow[] = lines.map((line) => ({
    cells: columns.map(({ left, right }) => {
      const inside = line.segments.filter((segment) => segment.left < right && segment.right > left);
      return { blocks: inside.map((segment): Block => ({ kind: 'paragraph', inlines: segmentInlines(segment) })) };
    }),
  }));
  return { kind: 'table', rows };
}

/**
 * The columns of the segments; undefined unless each row has at most one segment in each column, and most rows have
 * several.
 */
function columnsOf(lines: readonly Line[]): { left: number; right: number }[] | undefined {
  const columns: { left: number; right: number }[] = [];
  for (const segment of lines.flatMap((line) => [...line.segments]).sort((a, b) => a.left - b.left)) {
    const last = columns.at(-1);
    if (last !== undefined && segment.left < last.right) last.right = Math.max(last.right, segment.right);
    else columns.push({ left: segment.left, right: segment.right });
  }
  if (columns.length < 2 || columns.length > MAX_COLUMNS) return undefined;
  const single = lines.every((line) =>
    columns.every(({ left, right }) =>
      line.segments.filter((segment) => segment.left < right && segment.right > left).length <= 1
    )
  );
  return single ? columns : undefined;
}
