import type { Command } from 'commander';
import { formatMoment } from './format.ts';
import { type Io, type OutputStream, writeLines } from './io.ts';
import { plainLine, renderTable } from './table.ts';

/** How a command shows its result. */
export interface OutputOptions {
  readonly json?: boolean;
  /** For lists only: one item on each line. */
  readonly ndjson?: boolean;
  readonly quiet?: boolean;
  /** False with `--no-color`. */
  readonly color?: boolean;
}

/** Adds `--json`, `--quiet` and `--no-color`; and `--ndjson` to commands that list. */
export function addOutputOptions(command: Command, kind: 'one' | 'list' = 'one'): Command {
  command.option('--json', kind === 'list' ? 'write a JSON array' : 'write JSON');
  if (kind === 'list') command.option('--ndjson', 'write one JSON object a line, page by page as they arrive');
  return command.option('-q, --quiet', 'write no notes and no progress').option('--no-color',
    'no bold text and no colours, as with NO_COLOR');
}

/** Whether text may be emphasised: on a terminal, unless the user disabled it (no-color.org). */
export function isColoured(stream: OutputStream, { color }: OutputOptions = {},
  env: Readonly<Record<string, string | undefined>> = process.env): boolean
{
  return stream.isTTY === true && color !== false && !env['NO_COLOR'];
}

/** Writes notes to standard error, so that they do not get into a pipe. */
export function note(io: Io, options: OutputOptions, lines: readonly string[]): void {
  if (options.quiet !== true) writeLines(io.stderr, lines);
}

export function writeJson(io: Io, value: unknown): void {
  io.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** A column of a list: the field of the items, also as a path `document.key`, and its heading if it differs. */
export type ListColumn = string | readonly [field: string, heading: string];

/**
 * Items as rows of a table that fits a terminal of that width. Columns that are empty in all rows are omitted, except
 * the first.
 */
export function itemsTable(columns: readonly ListColumn[], items: readonly unknown[], width?: number): string[] {
  const all = columns.map((
    column,
  ) => (typeof column === 'string' ? [column, column.slice(column.lastIndexOf('.') + 1)] as const : column));
  const filled = all.filter(([field], index) => index === 0 || items.some((item) => cellOf(field, item) !== ''));
  const shown = filled.map(([field, heading]) => ({
    field,
    heading: /At$/.test(heading) ? heading.slice(0, -2) : heading,
    minimum: /At$|^ts$/.test(field) ? 16 : 8,
  }));
  return renderTable(shown, items.map((item) => shown.map(({ field }) => cellOf(field, item))), width);
}

function cellOf(path: string, item: unknown): string {
  let value = item;
  for (const name of path.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return plainLine(textOf(path, value));
}

/** A value in a cell: times by the name of their field, lists joined, objects as JSON. */
function textOf(name: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' && /At$/.test(name)) return value === 0 ? '' : formatMoment(value);
  // Times of audit events are in nanoseconds.
  if (typeof value === 'number' && name === 'ts') return formatMoment(Math.floor(value / 1e9));
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number);
}

/**
 * An object as lines `name  value`: nested objects are indented below their names, and lists of objects become tables.
 * Control characters of stored text are removed.
 */
export function describeObject(value: object, width?: number, indent = ''): string[] {
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  const widest = Math.max(0, ...entries.filter(([, each]) => isFlat(each)).map(([name]) => name.length));
  return entries.flatMap(([name, each]) => {
    if (isFlat(each)) return [`${indent}${name.padEnd(widest)}  ${plainLine(textOf(name, each))}`.trimEnd()];
    if (Array.isArray(each))
      return [`${indent}${name}`,
        ...itemsTable(columnsOf(each), each, width === undefined ? undefined : width - indent.length - 2).map((line) =>
          `${indent}  ${line}`
        )];
    return [`${indent}${name}`, ...describeObject(each as object, width, `${indent}  `)];
  });
}

const isFlat = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || Object.keys(value).length === 0 ||
  (Array.isArray(value) && value.every((each) => typeof each !== 'object'));

/** The fields of the items, in their order. */
export const columnsOf = (
  items: readonly unknown[],
): string[] => [...new Set(items.flatMap((item) => Object.keys(item as object)))];

/** The width to fit; undefined if the output is not a terminal, so that nothing is truncated. */
export const widthOf = (
  stream: OutputStream,
): number | undefined => (stream.isTTY === true ? stream.columns : undefined);
