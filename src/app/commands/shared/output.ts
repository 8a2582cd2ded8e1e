import type { Command } from 'commander';
import stringWidth from 'string-width';
import { type Io, type OutputStream, writeLines } from './io.ts';

const count = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const significant = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });

/** A count with thousands separators: `13,173`. */
export const formatCount = (value: number): string => count.format(value);

/** A rate with three significant digits: `1,070`, `4.49`. It is 0 if no time has passed. */
export const formatRate = (amount: number, seconds: number): string =>
  significant.format(seconds > 0 ? amount / seconds : 0);

/** Bytes in a readable unit, in powers of 1000: `812 bytes`, `4.5 KB`, `55.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return plural(bytes, 'byte');
  const [unit, size] = bytes < 1e6 ? ['KB', 1e3] as const : bytes < 1e9 ? ['MB', 1e6] as const : ['GB', 1e9] as const;
  return `${(bytes / size).toFixed(1)} ${unit}`;
}

/** A count with its noun: `1 document`, `2,000 documents`. */
export const plural = (amount: number, one: string, many = `${one}s`): string =>
  `${formatCount(amount)} ${amount === 1 ? one : many}`;

/** A time as local date and time, `2026-02-01 14:05`; `seconds` since 1970. */
export function formatMoment(seconds: number): string {
  const date = new Date(seconds * 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${
    two(date.getMinutes())
  }`;
}

const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Width of a text in a terminal, as precisely as possible without querying the terminal. */
export const textWidth = (text: string): number => stringWidth(text);

/** The text in exactly this many columns: padded with spaces, or truncated with `…`. */
export function fitText(text: string, columns: number): string {
  const width = textWidth(text);
  if (width <= columns) return text + ' '.repeat(columns - width);
  let kept = '';
  let used = 0;
  for (const { segment } of segments.segment(text)) {
    const next = used + textWidth(segment);
    if (next > columns - 1) break;
    [kept, used] = [kept + segment, next];
  }
  return columns < 1 ? '' : `${kept}…${' '.repeat(columns - 1 - used)}`;
}

/** On one line and without control characters, with which stored text could control a terminal. */
export const plainLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();

export interface Column {
  readonly heading: string;
  /** Fewest terminal columns of a table column. */
  readonly minimum: number;
}

const GAP = '  ';

/**
 * Rows of a table with headings and a rule below them. Columns are as wide as their longest text. If together they are
 * wider than `width`, the widest column that is above its minimum is narrowed by one until they fit, and texts that no
 * longer fit end in `…`. Line ends are not padded.
 */
export function renderTable(columns: readonly Column[], rows: ReadonlyArray<readonly string[]>,
  width = Number.POSITIVE_INFINITY): string[]
{
  const cells = rows.map((row) => row.map(plainLine));
  const natural = columns.map(({ heading }, index) =>
    Math.max(textWidth(heading), ...cells.map((row) => textWidth(row[index] ?? '')))
  );
  const widths = shrink(natural, columns.map(({ minimum }) => minimum), width - GAP.length * (columns.length - 1));
  const line = (texts: readonly string[]): string =>
    widths.map((each, index) => fitText(texts[index] ?? '', each)).join(GAP).trimEnd();
  return [line(columns.map(({ heading }) => heading)), widths.map((each) => '─'.repeat(each)).join(GAP),
    ...cells.map(line)];
}

/** Removes one terminal column at a time from the widest, until the sum fits or all are at their minimum. */
function shrink(natural: readonly number[], minimums: readonly number[], room: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, each) => sum + each, 0) - room;
  while (excess > 0) {
    let widest = -1;
    for (const [index, each] of widths.entries()) {
      if (each > minimums[index]! && (widest < 0 || each > widths[widest]!)) widest = index;
    }
    if (widest < 0) break;
    widths[widest]!--;
    excess--;
  }
  return widths;
}

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

/** Writes rows as a table that fits the terminal; without rows, what their absence means, to standard error. */
export function writeTable(io: Io, columns: readonly Column[], rows: ReadonlyArray<readonly string[]>,
  none: string): void
{
  if (rows.length === 0) writeLines(io.stderr, [none]);
  else writeLines(io.stdout, renderTable(columns, rows, widthOf(io.stdout)));
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
const columnsOf = (
  items: readonly unknown[],
): string[] => [...new Set(items.flatMap((item) => Object.keys(item as object)))];

/** The width to fit; undefined if the output is not a terminal, so that nothing is truncated. */
export const widthOf = (
  stream: OutputStream,
): number | undefined => (stream.isTTY === true ? stream.columns : undefined);
